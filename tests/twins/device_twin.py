"""Stand-ins for cuDF and CuPy on a machine without a card.

They hold pandas and NumPy objects and do with them what is asked, as long as cuDF and CuPy would:
every name must be in `device_signatures.json` and every call must bind to the signature there, and
what these libraries refuse is refused: host arrays beside device ones, iteration, implicit copies
to the host, truth values of many. Rows come back in any order where cuDF promises none.

`device_signatures.py` writes the table from the installed libraries.
"""

import functools
import inspect
import json
import operator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.special

TABLE = Path(__file__).with_name("device_signatures.json")
UNKNOWN = "is not in the table of signatures; where it exists, device_signatures.py adds it"
ARROW = (pa.Array, pa.ChunkedArray)
SCALARS = (bool, int, float, np.generic, np.dtype, type, str, type(None), slice, type(...))


class NotOnDeviceError(TypeError):
    """A call that cuDF or CuPy would refuse."""


def signature_of(described):
    """Return a signature from the names, kinds and optionality of its parameters."""
    kinds = {kind.name: kind for kind in inspect._ParameterKind}
    parameters = [
        inspect.Parameter(name, kinds[kind], default=None if optional else inspect.Parameter.empty)
        for name, kind, optional, _ in described
    ]
    return inspect.Signature(parameters)


class Signatures(dict):
    """What the libraries have: dotted names and the parameters of each, None for what has none."""

    def check(self, name, args=None, options=None):
        if name not in self:
            raise NotOnDeviceError(f"{name} {UNKNOWN}")
        if args is None or self[name] is None:
            return
        try:
            bound = signature_of(self[name]).bind(*args, **options).arguments
        except TypeError as error:
            raise NotOnDeviceError(f"{name}: {error}") from error
        for parameter, _, _, only_raises in self[name]:
            if only_raises and bound.get(parameter) not in (None, False):
                raise NotOnDeviceError(f"{name} only raises for {parameter}=")


SIGNATURES = Signatures(json.loads(TABLE.read_text()) if TABLE.exists() else {})


def held(value):
    """Return what stands behind a device object, and refuse host arrays."""
    if isinstance(value, Twin):
        return value._held
    if isinstance(value, (list, tuple)):
        return type(value)(map(held, value))
    if isinstance(value, dict):
        return {key: held(v) for key, v in value.items()}
    if not isinstance(value, SCALARS):
        raise NotOnDeviceError(f"a host {type(value).__name__} beside device objects")
    return value


def on_device(value):
    """Return a result as a device object."""
    if isinstance(value, tuple):
        return tuple(map(on_device, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return Array._of(value)
    for kind, twin in ((pd.DataFrame, DataFrame), (pd.Series, Series)):
        if isinstance(value, kind):
            return twin._of(value)
    parts = {"StringMethods": Text, "_iLocIndexer": Rows}
    part = parts.get(type(value).__name__)
    return value if part is None else part._of(value)


class Twin:
    """An object on the device."""

    LIBRARY = ""

    @classmethod
    def _of(cls, value):
        new = object.__new__(cls)
        new._held = value
        return new

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.LIBRARY}.{name}"
        if full not in SIGNATURES:
            raise AttributeError(f"{full} {UNKNOWN}")
        found = getattr(self._held, name)
        if not inspect.isroutine(found):
            return on_device(found)

        def call(*args, **options):
            SIGNATURES.check(full, (None, *args), options)
            return on_device(found(*held(args), **held(options)))

        return call

    def __len__(self):
        return len(self._held)

    def __getitem__(self, key):
        return on_device(self._held[held(key)])

    def __setitem__(self, key, value):
        self._held[held(key)] = held(value)

    def __iter__(self):
        raise NotOnDeviceError("device objects cannot be iterated over")

    def __bool__(self):
        return bool(self._held)

    def __repr__(self):
        return repr(self._held)

    def __reduce__(self):
        return type(self)._of, (self._held,)


def _operator(name):
    function = getattr(operator, name)

    def forward(self, other):
        return on_device(function(self._held, held(other)))

    def backward(self, other):
        return on_device(function(held(other), self._held))

    return forward, backward


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor",
              "lshift", "rshift", "lt", "le", "gt", "ge", "eq", "ne"):  # fmt: skip
    _forward, _backward = _operator(_name)
    _plain = _name.rstrip("_")
    setattr(Twin, f"__{_plain}__", _forward)
    if _plain not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Twin, f"__r{_plain}__", _backward)
for _name in ("invert", "neg", "abs"):
    _alone = functools.partialmethod(
        lambda self, function: on_device(function(self._held)), getattr(operator, _name)
    )
    setattr(Twin, f"__{_name}__", _alone)


class Array(Twin):
    """A CuPy array; one of a single value may become a Python number."""

    LIBRARY = "cupy.ndarray"
    __cuda_array_interface__ = None
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __array__(self, *_, **__):
        raise NotOnDeviceError("CuPy makes no NumPy array by itself; use .get()")

    def __int__(self):
        return int(self._held)

    def __float__(self):
        return float(self._held)

    def get(self):
        """Return the values on the host."""
        return np.array(self._held) if np.ndim(self._held) else self._held


class Series(Twin):
    """A cuDF Series."""

    LIBRARY = "cudf.Series"

    def __init__(self, values):
        values = values._held if isinstance(values, Twin) else values
        if isinstance(values, ARROW):
            values = values.to_pandas().astype("str")
        self._held = LOOSE.Series(values)

    def __array__(self, *_, **__):
        raise NotOnDeviceError("cuDF makes no NumPy array by itself; use .to_pandas()")

    def to_pandas(self):
        """Return the values on the host."""
        return pd.Series(self._held)

    def mask(self, cond):
        """Return the values with missing ones where an array of either side says so."""
        return Series._of(self._held.mask(cond._held if isinstance(cond, Twin) else cond))

    def hash_values(self, **options):
        """Return a number for each value, the same for the same value."""
        SIGNATURES.check("cudf.Series.hash_values", (self,), options)
        return Series._of(LOOSE.Series(pd.util.hash_array(self._held.to_numpy(object))))

    def unique(self):
        """Return the distinct values as a Series, not as pandas' array."""
        return Series._of(self._held.drop_duplicates())

    @property
    def values(self):
        """The values as a CuPy array, which text cannot be."""
        if self._held.dtype == "str" or self._held.dtype == object:
            raise NotOnDeviceError("CuPy has no text")
        return Array._of(self._held.to_numpy())

    def to_arrow(self):
        """Return the values as an Arrow array on the host."""
        return pa.array(self._held)


class DataFrame(Twin):
    """A cuDF DataFrame."""

    LIBRARY = "cudf.DataFrame"

    def to_pandas(self):
        """Return the columns on the host."""
        return pd.DataFrame(self._held)

    def __init__(self, columns):
        columns = {
            name: v._held if isinstance(v, Twin) else v.to_pandas() if isinstance(v, ARROW) else v
            for name, v in columns.items()
        }
        self._held = LOOSE.DataFrame(columns)


class Text(Twin):
    """The text of a Series: `.str`."""

    LIBRARY = "cudf.Series.str"

    def byte_count(self):
        """Return how many bytes each text has, which pandas cannot."""
        return Series._of(self._held.encode("utf-8").str.len())


class Rows(Twin):
    """The rows of a Series by position: `.iloc`, which takes arrays of the host too."""

    def __getitem__(self, key):
        return on_device(self._held[key._held if isinstance(key, Twin) else key])


class Module:
    """A module whose functions are those of another, as far as a third one has them."""

    def __init__(self, name, host, classes):
        self._name, self._host = name, host
        vars(self).update(classes)

    def __getattr__(self, name):
        full = f"{self._name}.{name}"
        found = getattr(self._host, name)
        if isinstance(found, type):
            return found
        SIGNATURES.check(full)
        if isinstance(found, np.ufunc):
            return Ufunc(full, found)

        def call(*args, **options):
            SIGNATURES.check(full, args, options)
            return on_device(found(*held(args), **held(options)))

        return call


class Ufunc:
    """A CuPy function of single values, and its `at`."""

    def __init__(self, name, host):
        self._name, self._host = name, host

    def __call__(self, *args):
        return on_device(self._host(*held(args)))

    def at(self, *args):
        """Change some places, as often as they are named."""
        SIGNATURES.check(f"{self._name}.at", args, {})
        if held(args[0]).dtype not in ("int32", "int64", "uint32", "uint64", "float32"):
            raise NotOnDeviceError(f"{self._name}.at is not exact for {held(args[0]).dtype}")
        self._host.at(*held(args))


def asarray(values, dtype=None):
    """Return values of the host or the device as a CuPy array."""
    return Array._of(np.asarray(values._held if isinstance(values, Twin) else values, dtype))


LOOSE = None


def modules(loose):
    """Return the stand-ins of cudf and cupy, on a pandas that keeps no order."""
    global LOOSE
    LOOSE = loose
    cudf = Module("cudf", loose, {"Series": Series, "DataFrame": DataFrame})
    cupy = Module("cupy", np, {"asarray": asarray, "ndarray": Array})
    return cudf, cupy


class Special:
    """`cupyx.scipy.special` on stand-ins: what CuPy has of SciPy's functions of Beta."""

    @staticmethod
    def betainc(a, b, x):
        """Return the regularised incomplete Beta function."""
        return Array._of(scipy.special.betainc(held(a), held(b), held(x)))

    @staticmethod
    def betaincinv(a, b, y):
        """Return its inverse."""
        return Array._of(scipy.special.betaincinv(held(a), held(b), held(y)))

    @staticmethod
    def betaln(a, b):
        """Return the logarithm of the Beta function."""
        return Array._of(scipy.special.betaln(held(a), held(b)))


special = Special()
