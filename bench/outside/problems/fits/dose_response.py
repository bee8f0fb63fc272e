# Hill's equation with four parameters, Hill 1910; data of our own
import numpy as np

DOSE = np.array([-3.0, -2.6, -2.2, -1.8, -1.4, -1.0, -0.6, -0.2, 0.2, 0.6, 1.0, 1.4, 1.8, 2.2, 2.6, 3.0])
EFFECT = np.array([
    3.28071, 4.07341, 0.260267, 7.56773, 4.80136, 1.36085, 7.92242, 15.9183, 36.8089, 69.1242, 82.7029, 89.6185,
    94.0895, 97.153, 94.7568, 96.1481,
])

def f(x):
    bottom, top, middle, slope = x
    model = bottom + (top - bottom) / (1 + 10 ** (slope * (middle - DOSE)))
    return np.sum((EFFECT - model) ** 2)
