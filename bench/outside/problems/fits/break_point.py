# Two lines that meet at an unknown place; Hinkley, Biometrika 56, 1969; data of our own
X = [
    0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0, 4.4, 4.8, 5.2, 5.6, 6.0, 6.4, 6.8, 7.2, 7.6, 8.0, 8.4,
    8.8, 9.2, 9.6, 10.0,
]
Y = [
    1.81894, 2.20327, 2.62809, 2.97257, 3.67687, 4.05946, 4.43154, 4.52945, 4.99806, 5.09597, 5.29986, 6.42043,
    6.44807, 6.49806, 7.24318, 7.33668, 7.69217, 7.03482, 6.41867, 5.80706, 5.37578, 4.92205, 4.26687, 3.62236,
    3.07705, 2.74946,
]

def f(p):
    place, left, right, height = p
    total = 0.0
    for x, y in zip(X, Y):
        slope = left if x < place else right
        total += abs(y - height - slope * (x - place))
    return total
