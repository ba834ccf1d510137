"""Invented headlines of two topics, for kernels of strings and texts."""

OIL = (
    "Crude oil prices rise as producers agree to pump less",
    "Refinery fire cuts supply of petrol along the coast",
    "Tanker with two million barrels waits outside the port",
    "Producers of crude meet to discuss output of barrels",
    "Drilling begins at new offshore oil field in the north",
    "Price of a barrel falls after stocks of crude grow",
    "Pipeline repaired, flow of oil to refinery resumes",
    "Minister says oil output will stay below the quota",
    "Offshore platform shut as storm nears the oil field",
    "Refiners buy more crude as demand for petrol grows",
    "Company finds oil and gas below the sea bed",
    "Exports of crude fall to lowest barrels in a year",
    "Oil tanker runs aground, barrels lost near the coast",
    "New quota for producers lifts the price of crude oil",
)
GRAIN = (
    "Wheat harvest larger than expected after a wet spring",
    "Farmers sow more maize as price of grain rises",
    "Export of wheat halted until silos are full again",
    "Drought in the plains damages the maize crop",
    "Grain stocks fall as mills buy wheat for flour",
    "Ministry raises its forecast of the barley harvest",
    "Ship loaded with grain leaves port for the first time",
    "Frost threatens winter wheat across the eastern plains",
    "Corn and soybean crops improve after rain, farmers say",
    "Country to import wheat after a poor harvest",
    "Price of maize falls on hopes of a record crop",
    "Silos full of barley as farmers wait for better price",
    "Subsidy for farmers who sow rye instead of wheat",
    "Mills report a shortage of grain before the harvest",
)
