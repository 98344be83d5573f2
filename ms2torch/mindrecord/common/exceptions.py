"""What MindRecord raises, a class per thing that can go wrong (``...mindrecord.common.exceptions``)."""

from __future__ import annotations

# Class name: its number, and what it says when nothing more is known.
_KNOWN = {
    "UnknownError": (0, "Unknown Error."),
    "ParamTypeError": (1, "Param type is error."),
    "ParamValueError": (2, "Param value is error."),
    "ParamMissError": (3, "Param missing."),
    "PathNotExistsError": (4, "Path does not exist."),
    "DbConnectionError": (5, "Db connection is error."),
    "MRMOpenError": (100, "MindRecord could not open."),
    "MRMOpenForAppendError": (101, "MindRecord could not open for append."),
    "MRMInvalidPageSizeError": (102, "Failed to set page size."),
    "MRMInvalidHeaderSizeError": (103, "Failed to set header size."),
    "MRMSetHeaderError": (104, "Failed to set header."),
    "MRMWriteDatasetError": (105, "Failed to write dataset."),
    "MRMCommitError": (107, "Failed to commit."),
    "MRMLaunchError": (108, "Failed to launch."),
    "MRMFinishError": (109, "Failed to finish."),
    "MRMCloseError": (110, "Failed to close."),
    "MRMAddSchemaError": (111, "Failed to add schema."),
    "MRMAddIndexError": (112, "Failed to add index field."),
    "MRMBuildSchemaError": (113, "Failed to build schema."),
    "MRMGetMetaError": (114, "Failed to get meta info."),
    "MRMIndexGeneratorError": (115, "Failed to create index generator."),
    "MRMGenerateIndexError": (116, "Failed to generate index."),
    "MRMInitSegmentError": (117, "Failed to initialize segment."),
    "MRMFetchCandidateFieldsError": (118, "Failed to fetch candidate category fields."),
    "MRMReadCategoryInfoError": (119, "Failed to read category information."),
    "MRMFetchDataError": (120, "Failed to fetch data by category."),
    "MRMInvalidSchemaError": (200, "Schema is error."),
    "MRMValidateDataError": (201, "Raw data is valid."),
    "MRMDefineIndexError": (202, "Index field is error."),
    "MRMDefineBlobError": (203, "Blob field is error."),
    "MRMUnsupportedSchemaError": (204, "Schema is not supported."),
    "MRMDefineCategoryError": (205, "Category field is error."),
}


class MindRecordException(Exception):
    """Base of all of them: prints as ``[class]: message``."""

    def __init__(self):
        super().__init__()
        number, self._error_msg = _KNOWN.get(type(self).__name__, _KNOWN["UnknownError"])
        self._error_code = self.transform_error_code(number)

    def __str__(self):
        return f"[{type(self).__name__}]: {self._error_msg}"

    @property
    def error_msg(self):
        """What went wrong."""
        return self._error_msg

    @error_msg.setter
    def error_msg(self, msg):
        self._error_msg = msg

    @property
    def error_code(self):
        """The error's number among all of Huawei's, from `transform_error_code`."""
        return self._error_code

    @staticmethod
    def transform_error_code(exception_no):
        """The number with where it comes from packed before it: host, error code, module."""
        host, kind, system = 1, 1, 42
        return host << 30 | kind << 28 | system << 17 | (exception_no // 100 + 1) << 12 | exception_no


def _plain(name: str, doc: str) -> type[MindRecordException]:
    return type(name, (MindRecordException,), {"__doc__": doc, "__module__": __name__})


def _detailed(name: str, text: str, doc: str) -> type[MindRecordException]:
    """A class that is raised with details, which go into ``text``."""
    def __init__(self, error_detail):
        MindRecordException.__init__(self)
        self.error_msg = text.format(error_detail)

    return type(name, (MindRecordException,), {"__doc__": doc, "__module__": __name__, "__init__": __init__})


UnknownError = _plain("UnknownError", "Nothing is known about it.")
ParamValueError = _detailed("ParamValueError", "Invalid parameter value. {}", "An argument's value.")
ParamMissError = _detailed("ParamMissError", "Param missing. '{}' is required.", "An argument is missing.")
PathNotExistsError = _detailed("PathNotExistsError", "Invalid path. {}", "A path that is not there.")
DbConnectionError = _detailed("DbConnectionError", "Db connection is error. Detail: {}", "The index file.")
MRMInvalidSchemaError = _detailed("MRMInvalidSchemaError", "Schema format is error. Detail: {}",
                                  "The schema is not one.")
MRMValidateDataError = _detailed("MRMValidateDataError", "Raw data do not match the schema. Detail: {}",
                                 "Rows that are not of the schema.")
MRMDefineIndexError = _detailed("MRMDefineIndexError", "Failed to define index field. Detail: {}",
                                "A field that cannot be an index.")
MRMDefineBlobError = _detailed("MRMDefineBlobError", "Failed to define blob field. Detail: {}",
                               "A field that cannot be a blob.")
MRMUnsupportedSchemaError = _detailed("MRMUnsupportedSchemaError", "Schema is not supported. Detail: {}",
                                      "Rows in a file that its schema does not describe.")
MRMDefineCategoryError = _detailed("MRMDefineCategoryError", "Failed to define category field. Detail: {}",
                                   "A field that rows cannot be grouped by.")
MRMInvalidPageSizeError = _plain("MRMInvalidPageSizeError", "`set_page_size` failed.")
MRMInvalidHeaderSizeError = _plain("MRMInvalidHeaderSizeError", "`set_header_size` failed.")
MRMSetHeaderError = _plain("MRMSetHeaderError", "The header could not be set.")
MRMWriteDatasetError = _plain("MRMWriteDatasetError", "Rows could not be written.")
MRMCommitError = _plain("MRMCommitError", "`commit` failed.")
MRMLaunchError = _plain("MRMLaunchError", "Reading could not start.")
MRMFinishError = _plain("MRMFinishError", "Reading could not end.")
MRMCloseError = _plain("MRMCloseError", "A file could not be closed.")
MRMAddSchemaError = _plain("MRMAddSchemaError", "A second schema.")
MRMAddIndexError = _plain("MRMAddIndexError", "An index that cannot be added.")
MRMBuildSchemaError = _plain("MRMBuildSchemaError", "The schema could not be built.")
MRMGetMetaError = _plain("MRMGetMetaError", "There is no schema yet.")
MRMIndexGeneratorError = _plain("MRMIndexGeneratorError", "The index could not be started.")
MRMGenerateIndexError = _plain("MRMGenerateIndexError", "The index could not be written.")
MRMInitSegmentError = _plain("MRMInitSegmentError", "Paging could not start.")
MRMFetchCandidateFieldsError = _plain("MRMFetchCandidateFieldsError", "The index's fields are not known.")
MRMReadCategoryInfoError = _plain("MRMReadCategoryInfoError", "The groups could not be read.")
MRMFetchDataError = _plain("MRMFetchDataError", "A page of rows could not be read.")


class ParamTypeError(MindRecordException):
    """An argument's type."""

    def __init__(self, param_name, expected_type):
        super().__init__()
        self.error_msg = f"Invalid parameter type. '{param_name}' expect {expected_type} type."


class MRMOpenError(MindRecordException):
    """A file could not be opened."""

    def __init__(self):
        super().__init__()
        self.error_msg = "MindRecord File could not open successfully."


class MRMOpenForAppendError(MindRecordException):
    """A file could not be opened to be appended to."""

    def __init__(self):
        super().__init__()
        self.error_msg = "MindRecord File could not open successfully for append."
