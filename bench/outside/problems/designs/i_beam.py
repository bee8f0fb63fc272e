# Gold and Krishnamurty, ASME DETC 1997, vertical deflection of an I-beam
def f(x):
    h, b, tw, tf = x
    clear = h - 2 * tf
    inertia = tw * clear ** 3 / 12 + b * tf ** 3 / 6 + 2 * b * tf * ((h - tf) / 2) ** 2
    deflection = 5000 / inertia
    area = 2 * b * tf + tw * clear
    stress = 180000 * h / (2 * inertia) + 15000 * b / (2 * (tw ** 3 * clear + 2 * tf * b ** 3) / 12) / 2
    return deflection + max(0, area - 300) * 0.01 + max(0, stress - 600) * 0.01
