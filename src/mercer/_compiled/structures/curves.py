"""Integrals over products of two curves that are linear between given points."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled


@compiled
def _product(x, x_times, y, y_times):
    """∫ f g and ∫ f′ g′ where both curves are given, summed over the channels."""
    stop = min(x_times[-1], y_times[-1])
    t = max(x_times[0], y_times[0])
    i = j = np.int64(0)
    values = slopes = 0.0
    while t < stop:
        while x_times[i + 1] <= t:
            i += 1
        while y_times[j + 1] <= t:
            j += 1
        end = min(min(x_times[i + 1], y_times[j + 1]), stop)
        h = end - t
        for channel in range(x.shape[1]):
            f_slope = (x[i + 1, channel] - x[i, channel]) / (x_times[i + 1] - x_times[i])
            g_slope = (y[j + 1, channel] - y[j, channel]) / (y_times[j + 1] - y_times[j])
            f = x[i, channel] + (t - x_times[i]) * f_slope
            g = y[j, channel] + (t - y_times[j]) * g_slope
            slope = f_slope * g_slope
            values += h * (f * g + h * ((f * g_slope + g * f_slope) / 2.0 + h * slope / 3.0))
            slopes += h * slope
        t = end
    return values, slopes


@compiled
def curve_products(x, x_times, x_offsets, y, y_times, y_offsets, left, right, values, slopes):
    """∫ f g and ∫ f′ g′ of pairs of curves."""
    for number in range(len(left)):
        a, b = x_offsets[left[number]], x_offsets[left[number] + 1]
        c, d = y_offsets[right[number]], y_offsets[right[number] + 1]
        products = _product(x[a:b], x_times[a:b], y[c:d], y_times[c:d])
        values[number], slopes[number] = products
