"""The names of the ways to hold rows out; `calibration` has the table of them."""

AUTO = "auto"
JACKKNIFE = "jackknife+"
CV = "cv+"
SPLIT = "split"
PREFIT = "prefit"
METHODS = (AUTO, JACKKNIFE, CV, SPLIT, PREFIT)
