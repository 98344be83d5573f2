"""Methods of Tensor."""
import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

GIVEN = lines("""
T((2,3)).view(3,2)
T((2,3)).view((3,2))
T((2,3)).view([3,2])
T((2,3)).view(-1)
T((2,3)).transpose(1,0).view(6)
T((2,3)).T.view(-1)
x=T((2,3)) ;; y=x.view(6) ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.reshape(6) ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.flatten() ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.T ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.expand_dims(0) ;; y[0]=9. ;; x
x=T((2,3)) ;; y=ops.transpose(x,(1,0)) ;; y[0]=9. ;; x
x=T((1,3)) ;; y=ops.squeeze(x) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.split(x,2) ;; y[0][0]=9. ;; x
x=T((4,3)) ;; y=ops.chunk(x,2) ;; y[0][0]=9. ;; x
x=T((4,3)) ;; y=ops.unstack(x) ;; y[0][0]=9. ;; x
x=T((4,3)) ;; y=ops.unbind(x) ;; y[0][0]=9. ;; x
x=T((4,3)) ;; y=ops.narrow(x,0,0,2) ;; y[0][0]=9. ;; x
x=T((4,3)) ;; y=ops.Split(0,2)(x) ;; y[0][0]=9. ;; x
x=T((1,3)) ;; y=ops.broadcast_to(x,(2,3)) ;; y[0]=9. ;; (x,y)
x=T((2,3)) ;; y=x.astype(ms.float32) ;; y[0]=9. ;; x
x=T((2,3)) ;; x.astype(ms.float32) is x
x=T((2,3)) ;; x.to(ms.float32) is x
x=T((2,3)) ;; x.float() is x
x=T((2,3)) ;; y=x.copy() ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.contiguous() ;; y[0]=9. ;; x
x=T((2,3)) ;; y=x.value() ;; y[0]=9. ;; (x, y is x)
x=T((4,3)) ;; y=x.swapaxes(0,1) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=x.diagonal() ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.gather(x,I(0),0) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.strided_slice(x,(0,0),(2,2),(1,1)) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.slice(x,(0,0),(2,2)) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.flip(x,(0,)) ;; y[0]=9. ;; x
x=T((4,3)) ;; y=ops.stop_gradient(x) ;; y[0]=9. ;; x
T((2,3)).reshape(3,2)
T((2,3)).reshape((3,2))
T((2,3)).reshape([3,2])
T((2,3)).reshape(-1)
T((2,3)).reshape(shape=(3,-1))
T((2,3)).view(shape=[3,2])
T((2,3)).permute(dims=(1,0))
T((2,3)).astype(ms.int32)
T((2,3)).astype("int32")
T((2,3)).astype("float16")
T((2,3)).astype(np.int32)
T((2,3)).astype(float)
T((2,3)).astype(int)
T((2,3)).astype(bool)
T((2,3)).astype(ms.int32, copy=False)
T((2,3)).to(ms.float16)
T((2,3)).to(dtype=ms.int32)
T((2,3)).type(ms.int32)
T((2,3)).type()
T((2,3)).type("int32")
T((2,3)).type_as(T((2,),"int32"))
T((2,3)).float()
T((2,3)).half()
T((2,3)).int()
T((2,3)).long()
T((2,3)).bool()
T((2,3)).double()
T((2,3)).short()
T((2,3)).byte()
T((2,3)).bfloat16()
T((2,3),"int32").float()
T((2,3)).transpose()
T((2,3)).transpose(1,0)
T((2,3)).transpose((1,0))
T((2,3)).transpose([1,0])
T((2,3,4)).transpose(0,2,1)
T((2,3,4)).transpose(0,2)
T((2,3,4)).transpose(0,-1,1)
T((2,3,4)).permute(0,2,1)
T((2,3,4)).permute((0,2,1))
T((2,3,4)).permute([0,2,1])
T((2,3,4)).swapaxes(0,2)
T((2,3,4)).swapdims(0,2)
T((2,3,4)).T
T((2,3,4)).mT
T((2,3)).mT
T((2,3)).H
T((2,3)).t()
T((1,3)).expand_as(T((2,3)))
T((1,3)).broadcast_to((2,3))
T((1,3)).expand(2,3)
T((1,3)).expand((2,3))
T((1,3)).expand(2,-1)
A(3.5,"float32").item()
A([3]).item()
x=T((2,3)) ;; x.itemset(0, 5.) ;; x
x=T((2,3)) ;; x.itemset((1,2), 5.) ;; x
T((2,3),"int32").tolist()
A(3).tolist()
T((2,3)).fill(3.)
x=T((2,3)) ;; x.fill(3.) ;; x
T((2,3)).new_zeros((2,))
T((2,3)).new_zeros((2,), dtype=ms.int32)
T((2,3)).new_ones(3)
T((2,3)).new_empty((2,)).shape
T((2,3)).repeat_interleave(2)
T((2,3)).repeat_interleave(2, 0)
T((2,3)).repeat_interleave(2, dim=1)
T((2,3)).tile((2,1))
T((2,3)).tile(2,1)
T((2,3)).tile(2)
T((2,3)).tile(dims=(2,1))
T((2,3)).resize(2,2)
T((2,3)).resize((3,3))
T((3,4)).take(I(0,5))
T((3,4)).take(I(0,2), axis=1)
T((3,4)).take(I(0,22), mode='wrap')
T((3,4)).take(I(0,22), mode='clip')
I(2,0,1).choose([I(1,2,3),I(4,5,6),I(7,8,9)])
T((3,4)).diagonal()
T((3,4)).diagonal(1)
T((3,4,2)).diagonal(0,0,2)
T((2,3)).value()
T((2,3)).asnumpy()
T((2,3)).numpy()
T((2,3)).numel()
T((2,3)).nelement()
T((2,3)).dim()
T((2,3)).ndimension()
T((2,3)).ndim
T((2,3)).size
T((2,3)).itemsize
T((2,3)).nbytes
T((2,3)).strides
T((2,3)).stride()
T((2,3)).stride(0)
T((2,3)).storage_offset()
T((2,3)).is_contiguous()
T((2,3)).transpose().is_contiguous()
T((2,3)).T.is_contiguous()
T((2,3)).flush_from_cache()
x=T((2,3)) ;; x.set_dtype(ms.int32) ;; x
x=T((2,3)) ;; x.assign_value(T((2,2))) ;; x
x=T((2,3)) ;; x.assign_value(T((2,3),"int32")) ;; x
x=T((2,3)) ;; y=x.assign_value(T((2,3),seed=1)) ;; (x, y is x)
T((2,3)).view_as(T((3,2)))
T((2,3)).reshape_as(T((3,2)))
T((2,3)).unbind()
T((2,3)).unbind(1)
T((6,2)).split(2)
T((6,2)).split((1,5), axis=0)
T((2,6)).split(3, 1)
T((2,6)).split(split_size=3, dim=1)
T((2,6)).chunk(2, 1)
T((2,6)).chunk(2, axis=1)
T((4,3)).narrow(0,1,2)
T((2,3)).select(0, 1)
T((2,3)).select(T((2,3),"bool"), T((2,3)))
T((2,3)).select(T((2,3),"bool"), 1.)
T((2,3)).where(T((2,3),"bool"), 0.)
T((2,3)).where(T((2,3),"bool"), T((2,3),seed=1))
T((2,3)).masked_fill(T((2,3),"bool"), 0.)
T((2,3)).masked_select(T((2,3),"bool"))
T((2,3)).masked_scatter(T((2,3),"bool"), T((6,)))
T((3,4)).gather(I(0,2), 0)
T((3,4)).gather(1, A([[0],[1],[2]],"int64"))
T((3,4)).gather_elements(1, A([[0],[1],[2]],"int64"))
T((3,4)).gather_nd(A([[0,1]]))
T((3,4)).index_select(0, I(0,2))
T((3,4)).index_select(axis=0, index=I(0,2))
T((3,4)).index_select(dim=0, index=I(0,2))
T((3,4)).index_add(I(0,2), T((2,4)), 0)
T((3,4)).index_add(0, I(0,2), T((2,4)))
T((3,4)).index_fill(0, I(0,2), 3.)
T((3,4)).scatter(1, A([[0],[1],[2]],"int64"), T((3,1)))
T((3,4)).scatter(axis=1, index=A([[0],[1],[2]],"int64"), src=T((3,1)))
T((3,4)).scatter_add(A([[0],[2]]), T((2,4)))
T((3,4)).scatter_sub(A([[0],[2]]), T((2,4)))
T((3,4)).scatter_max(A([[0],[2]]), T((2,4),seed=1))
T((3,4)).scatter_mul(A([[0],[2]]), T((2,4)))
T((2,4)).topk(2)
T((2,4)).topk(2, dim=0)
T((2,4)).top_k(2)
T((2,4)).sort()
T((2,4)).sort(axis=0, descending=True)
T((2,4)).sort(dim=0)
T((2,4)).argsort()
T((2,4)).argsort(axis=0, descending=True)
T((2,3)).nonzero()
T((2,3),"bool").argwhere()
T((3,3)).tril()
T((3,3)).triu(1)
T((3,)).diag()
T((3,3)).diag()
T((3,)).diagflat()
T((2,3)).flip((0,))
T((2,3)).fliplr()
T((2,3)).ravel()
T((2,3,4)).flatten()
T((2,3,4)).flatten('F')
T((2,3,4)).flatten(start_dim=1)
T((2,3,4)).flatten(0, 1)
T((2,3,4)).flatten(1)
T((1,2,1)).squeeze()
T((1,2,1)).squeeze(0)
T((1,2,1)).squeeze(axis=0)
T((1,2,1)).squeeze((0,2))
T((2,3)).squeeze(0)
T((2,3)).expand_dims(1)
T((2,3)).expand_dims(axis=1)
T((2,3)).unsqueeze(1)
T((2,3)).unsqueeze(dim=1)
A([1.,3.,5.],"float32").searchsorted(A([2.,4.],"float32"))
A([1.,3.,5.],"float32").searchsorted(A([3.,4.],"float32"), side='right')
T((4,2)).unsorted_segment_max(I(0,1,0,1), 2)
T((2,3)).inplace_update(T((1,3)), 0)
T((2,3)).fill_diagonal(5.)
T((2,3)).moveaxis(0,1)
T((2,3)).movedim(0,1)
T((2,3)).rot90(1,(0,1))
T((1,4,4)).fold(I(3,3), 2)
T((1,2,3,3)).unfold(2)
T((2,3)).is_floating_point()
T((2,3)).is_complex()
T((2,3)).is_signed()
T((2,3)).has_init
T((2,3)).index_put((I(0),), T((3,)))
T((2,3)).hsplit(3)
T((2,3)).vsplit(2)
T((4,3)).tensor_split(3)
T((2,3)).reverse([0])
T((2,3)).data
T((2,3)).requires_grad_()
T((2,3)).device
T((2,3)).is_meta
T((2,3)).sum_to_size(1,3)
T((2,3)).sum_to_size((1,3))
T((2,3)).init
T((2,3)).const_arg
T((2,3)).set_const_arg()
T((2,3)).virtual_flag
T((2,3)).param_info
T((2,3)).move_to("CPU")
T((2,3)).is_shared()
T((2,3)).select_scatter(T((3,)), 0, 1)
T((2,3)).slice_scatter(T((1,3)), 0, 0, 1)
T((3,3)).diagonal_scatter(T((3,)))
T((2,3)).numpy() is not None
T((2,3)).contiguous()
Tensor(3).__index__()
T((2,3)).__contains__(3.)
len(T((2,3)))
""")

REFUSED = lines("""
ops.MaxPool3D(2, 2, 'pad', 0, 1)(T((1,1,3,4,5)))
T((2,3)).view(4,2)
T((2,3)).reshape(4,2)
T((2,3)).reshape(3.,2)
T((2,3)).reshape(shape=6)
T((2,3)).reshape(6, shape=(6,))
T((2,3)).reshape(shape=None)
T((2,3)).to("float16")
T((3,)).mT
T((2,3)).item()
T((2,3)).item(1)
x=A(3.,"float32") ;; x.itemset(5.) ;; x
T((2,3)).itemset(5.)
T((3,4)).take(1, axis=0)
T((2,3)).init_data()
x=T((2,3)) ;; x.dtype = ms.int32 ;; x
T((3,3)).diag(1)
T((2,3)).flip(0)
T((2,3)).index(I(0))
""")


@case(each={"line": GIVEN})
def test_value(line):
    return evaluate(line)


@case(each={"line": REFUSED}, raises=True)
def test_refusal(line):
    return evaluate(line)


@case(each={"shape": [(), (3,), (2, 3), (2, 3, 4)]})
def test_transposed_views(shape):
    def shape_or_error(name):
        try:
            return getattr(ms.Tensor(np.zeros(shape, np.complex64)), name).shape
        except ValueError as error:
            return str(error)

    return {name: shape_or_error(name) for name in ("T", "H", "mH", "mT")}


class _Extremes(nn.Cell):
    def construct(self, x, *args, **kwargs):
        return x.max(*args, **kwargs), x.min(*args, **kwargs)


@case(mode="BOTH", each=[{"args": a, "named": n} for a, n in (
    ((0,), {}), ((-1, True), {}), ((0, True), {"initial": None}), ((0,), {"where": True}), ((0,), {"keepdims": True}),
    ((0,), {"keepdim": True}), ((), {"dim": 0}), ((), {"axis": 0}), ((), {"axis": 0, "return_indices": True}))])
def test_extremes_of_an_axis_inside_a_graph(args, named):
    x = ms.Tensor(np.arange(4).reshape((2, 2)).astype(np.float32))
    return _Extremes()(x, *args, **named)


@case(each={"dtype": (ms.bool_, ms.uint8, ms.int32, ms.float16, ms.float32, ms.complex64)})
def test_signs_in_front_of_a_tensor(dtype):
    x = ms.Tensor(np.array([1, 0])).astype(dtype)
    return abs(x), +x, ~x, x if dtype == ms.bool_ else -x


@case(raises="Neg] fail! Unsupported data type!")
def test_minus_a_mask():
    return -ms.Tensor([True, False])


@case
def test_transpose_of_one_axis_is_the_tensor():
    x, y = ms.Tensor(np.float32([1, 2, 3])), ms.Tensor(np.ones((2, 3), np.float32))
    x.T[...] = 9.0
    return x, x.T is x, y[0].T.shape, ms.Tensor(2.0).T, y.T is y
