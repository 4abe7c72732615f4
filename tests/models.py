"""Models of precision and recall, and counts for them."""

from hypothesis import strategies as st

from berx_gpu import BayesianPRModel


def model(tp=80, fp=26, fn=20, name="m", sample=None, **options):
    return BayesianPRModel(name, sample, **options).update(tp=tp, fp=fp, fn=fn)


counts = st.sampled_from([0, 1, 3, 20, 1000, 10**6, 10**9])
