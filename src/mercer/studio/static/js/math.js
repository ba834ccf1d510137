// Formulas of the chapters as MathML, which browsers typeset: the part of TeX that they use.

const SPACE = 'http://www.w3.org/1998/Math/MathML';
const SIGNS = {
  sum: '∑', prod: '∏', int: '∫', lVert: '‖', rVert: '‖', lvert: '|', rvert: '|', mid: '|', langle: '⟨', rangle: '⟩', top: '⊤', infty: '∞',
  in: '∈', ge: '≥', geq: '≥', le: '≤', leq: '≤', ne: '≠', neq: '≠', sim: '∼', to: '→', mapsto: '↦', subset: '⊂', cap: '∩', cup: '∪', approx: '≈',
  otimes: '⊗', times: '×', cdot: '·', dots: '…', ldots: '…', cdots: '⋯', nabla: '∇', angle: '∠', partial: '∂', succeq: '⪰', circ: '∘', odot: '⊙', '#': '#', '%': '%', '{': '{', '}': '}', '|': '‖',
};
const LETTERS = {
  alpha: 'α', beta: 'β', gamma: 'γ', Gamma: 'Γ', delta: 'δ', Delta: 'Δ', varepsilon: 'ε', epsilon: 'ϵ', eta: 'η', theta: 'θ', kappa: 'κ', lambda: 'λ', Lambda: 'Λ', mu: 'μ', nu: 'ν',
  xi: 'ξ', pi: 'π', rho: 'ρ', sigma: 'σ', Sigma: 'Σ', tau: 'τ', phi: 'ϕ', varphi: 'φ', Phi: 'Φ', chi: 'χ', psi: 'ψ', omega: 'ω', Omega: 'Ω', ell: 'ℓ',
};
const WORDS = ['exp', 'log', 'min', 'max', 'cos', 'sin', 'tanh', 'det', 'arg', 'sup', 'inf', 'Pr', 'dim', 'ker'];
const WIDTHS = { ',': '.17em', ':': '.22em', ';': '.28em', ' ': '.3em', '!': '-.17em', quad: '1em', qquad: '2em' };
const ACCENTS = { tilde: '~', bar: '¯', hat: '^', vec: '→', overline: '¯' };
const BELOW = new Set(['∑', '∏', 'min', 'max', 'sup', 'inf']); // their indices stand below in a display

function m(tag, children = [], attributes = {}) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function math(tex, display = false) {
  const tokens = tex.match(/\\[a-zA-Z]+|\\.|[0-9.]+|\s+|./gsu) ?? [];
  const reader = { tokens: tokens.filter((token) => token.trim() || token === '\\ '), at: 0, display };
  return m('math', [row(reader)], display ? { display: 'block' } : {});
}

function row(reader, end = () => false) {
  const nodes = [];
  while (reader.at < reader.tokens.length && !end(reader.tokens[reader.at])) nodes.push(scripts(reader));
  return m('mrow', nodes);
}

// An atom with the indices and exponents that follow it.
function scripts(reader) {
  const base = atom(reader);
  const found = {};
  while (['^', '_', "'"].includes(reader.tokens[reader.at])) {
    const mark = reader.tokens[reader.at++];
    const part = mark === "'" ? m('mo', ['′']) : argument(reader);
    const kind = mark === '_' ? 'low' : 'high';
    found[kind] = found[kind] ? m('mrow', [found[kind], part]) : part;
  }
  const below = reader.display && BELOW.has(base.textContent);
  const [under, over, both] = below ? ['munder', 'mover', 'munderover'] : ['msub', 'msup', 'msubsup'];
  if (found.low && found.high) return m(both, [base, found.low, found.high]);
  if (found.low) return m(under, [base, found.low]);
  return found.high ? m(over, [base, found.high]) : base;
}

function argument(reader) {
  const token = reader.tokens[reader.at];
  if (/^[0-9.]{2,}$/.test(token)) reader.tokens.splice(reader.at, 1, token[0], token.slice(1)); // \tfrac12 is a half
  if (token !== '{') return atom(reader);
  reader.at += 1;
  const inner = row(reader, (token) => token === '}');
  reader.at += 1;
  return inner;
}

function words(reader) {
  const text = [...argument(reader).textContent].join('');
  return m('mtext', [text]);
}

function atom(reader) {
  const token = reader.tokens[reader.at];
  if (token === '{') return argument(reader);
  reader.at += 1;
  if (token[0] === '\\') return command(token.slice(1), reader);
  if (/^[0-9.]+$/.test(token)) return m('mn', [token]);
  if (/^\p{L}$/u.test(token)) return m('mi', [token]);
  return m('mo', [token === '-' ? '−' : token], /[()[\]|]/.test(token) ? { stretchy: 'false' } : {});
}

function command(name, reader) {
  switch (name) {
    case 'frac': case 'tfrac': case 'dfrac': return m('mfrac', [argument(reader), argument(reader)]);
    case 'binom': return m('mrow', [m('mo', ['(']), m('mfrac', [argument(reader), argument(reader)], { linethickness: '0' }), m('mo', [')'])]);
    case 'sqrt': return m('msqrt', [argument(reader)]);
    case 'mathrm': case 'text': case 'operatorname': return words(reader);
    case 'mathbf': return m('mi', [argument(reader).textContent], { class: 'bold' });
    case 'mathcal': case 'mathbb': return m('mi', [argument(reader).textContent]);
    case 'left': case 'right': return delimiter(reader, 'true');
    case 'bigl': case 'bigr': case 'Bigl': case 'Bigr': case 'big': return delimiter(reader, 'false');
    case 'begin': return lines(reader);
    default: return sign(name, reader);
  }
}

function sign(name, reader) {
  if (name in LETTERS) return m('mi', [LETTERS[name]]);
  if (name in WIDTHS) return m('mspace', [], { width: WIDTHS[name] });
  if (name in ACCENTS) return m('mover', [argument(reader), m('mo', [ACCENTS[name]])], { accent: 'true' });
  if (WORDS.includes(name)) return m('mi', [name], { mathvariant: 'normal' });
  return m('mo', [SIGNS[name] ?? name], /[lr][vV]ert/.test(name) ? { stretchy: 'false' } : {});
}

function delimiter(reader, stretchy) {
  const token = reader.tokens[reader.at++];
  if (token === '.') return m('mrow');
  return m('mo', [token[0] === '\\' ? SIGNS[token.slice(1)] : token], { stretchy });
}

// Lines below each other: \begin{gathered} … \\[1ex] … \end{gathered}.
function lines(reader) {
  argument(reader);
  const rows = [];
  do {
    if (reader.tokens[reader.at] === '[') reader.at = reader.tokens.indexOf(']', reader.at) + 1;
    rows.push(m('mtr', [m('mtd', [row(reader, (token) => token === '\\\\' || token === '\\end')])]));
    reader.at += 1;
  } while (reader.tokens[reader.at - 1] === '\\\\');
  argument(reader);
  return m('mtable', rows, { rowspacing: '.5em', displaystyle: 'true' });
}
