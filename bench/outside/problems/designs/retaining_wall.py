# Gravity and cantilever walls, Rankine's pressure; Bowles, Foundation Analysis and Design
def f(x):
    stem, toe, heel, base = x
    height, soil, concrete, ka, mu = 4.0, 18.0, 24.0, 1 / 3, 0.5
    width = toe + stem + heel
    thrust = 0.5 * ka * soil * (height + base) ** 2
    over = thrust * (height + base) / 3
    parts = [
        (concrete * stem * height, toe + stem / 2),
        (concrete * width * base, width / 2),
        (soil * heel * height, toe + stem + heel / 2),
    ]
    weight = sum(w for w, _ in parts)
    moment = sum(w * arm for w, arm in parts)
    e = width / 2 - (moment - over) / weight
    pressure = weight / width * (1 + 6 * abs(e) / width)
    bending = 0.5 * ka * soil * height ** 3 / 3
    g = [
        1.5 - mu * weight / thrust, 2 - moment / over, abs(e) - width / 6, pressure / 200 - 1,
        6 * bending / stem ** 2 / 1500 - 1,
    ]
    volume = stem * height + width * base
    return volume * 100 + 15 * heel + sum(300 * v if v > 0 else 0 for v in g)
