"""Maximum likelihood fit of a gamma distribution, with SciPy's log-gamma function.

Dimension: 2.  Bounds: shape in [0.1, 20], scale in [0.1, 20].
Optimum:   45.7910738018 at shape 3.59224327, scale 1.391887916. Derived: for every shape k the best scale is mean / k,
           and the best k solves log k - digamma(k) = log(mean) - mean(log), solved with scipy.optimize.brentq.
Source:    ours; see N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions 1 (1994), 17.7.
"""

import numpy as np
from scipy.special import gammaln

waiting_times = np.array(
    [3.1, 4.7, 1.9, 7.4, 5.2, 2.8, 9.6, 4.1, 6.3, 3.7, 2.2, 5.9, 8.1, 4.4, 1.2, 6.8, 3.3, 5.0, 11.7, 2.6]
)


def negative_log_likelihood(p):
    shape, scale = p
    density = (shape - 1) * np.log(waiting_times) - waiting_times / scale - gammaln(shape) - shape * np.log(scale)
    return -np.sum(density)
