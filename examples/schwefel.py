"""Schwefel's function: the second best minimum is far from the best one, which lies near a corner.

Dimension: any, here 3.  Bounds: [-500, 500] each.
Optimum:   0 at (420.9687..., ...); 418.9828872724339 is the largest value of v sin(sqrt(v)) below 500.
Source:    H.-P. Schwefel, Numerical Optimization of Computer Models, Wiley (1981), problem 2.26.
"""

import numpy as np


def schwefel(x):
    return 418.9828872724339 * len(x) - np.sum(x * np.sin(np.sqrt(np.abs(x))))
