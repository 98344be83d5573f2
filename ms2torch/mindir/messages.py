"""The messages of a MindIR file.

Only the fields that a graph needs to run are named; others are passed over. Bytes of tensors stay where they
lie.
"""

from __future__ import annotations

from ms2torch._core.messages import Schema

SCHEMA = Schema("""
Model      1 ir_version text; 2 producer_name text; 5 model_version text; 7 graph Graph; 8 functions Graph*;
           9 preprocessor blob; 10 little_endian int; 12 primitives Primitive*; 13 mind_ir_version int
Graph      1 node Node*; 2 name text; 3 parameter Tensor*; 5 input ValueInfo*; 6 output ValueInfo*;
           8 attribute Attribute*; 10 map_parameter blob*
Node       1 input text*; 2 output text*; 3 name text; 4 op_type text; 5 attribute Attribute*; 7 domain text
Primitive  1 name text; 2 op_type text; 3 attribute Attribute*; 4 instance_name text; 5 prim_type int
ValueInfo  1 name text; 2 tensor Tensor*; 4 denotation text; 5 attr_info Attribute
Attribute  1 name text; 2 f float; 3 i int; 4 d double; 5 s blob; 6 t Tensor; 8 floats float*;
           9 doubles double*; 10 ints int*; 11 strings blob*; 12 tensors Tensor*; 16 type int;
           17 values Attribute*
Tensor     1 dims int*; 2 data_type int; 3 float_data float*; 4 int32_data int*; 5 string_data blob*;
           6 int64_data int*; 7 name text; 9 raw_data span; 10 double_data double*; 11 uint64_data int*;
           12 external_data External; 13 ref_key text; 16 compression_type int
External   1 location text; 2 offset int; 3 length int
""")


def parse(data: memoryview, message: str = "Model"):
    """A message as an object with its fields; a message that is absent is None. Raises `Damaged`."""
    return SCHEMA.parse(data, message)
