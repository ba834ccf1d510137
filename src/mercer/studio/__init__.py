"""mercer studio: a page in the browser for learning, teaching and fitting, served on this machine.

The server (`server`, `guard`, `tabs`) answers the page and computes nothing. Every open page has a
process of its own (`worker`), which parses kernels, fits learners and reads tables, under limits of
time and memory; it ends when the page is closed.
"""
