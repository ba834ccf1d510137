// What the buttons and drops do to blocks: sums, products, and methods.

export function add(root, block) {
  const terms = root.kind === 'sum' ? root.parts : [root];
  return { kind: 'sum', parts: [...terms, block] };
}

// The product of two blocks; numbers go in front.
export function multiply(a, b) {
  const [first, left] = a.kind === 'scale' ? [a.factor, a.part] : [1, a];
  const [second, right] = b.kind === 'scale' ? [b.factor, b.part] : [1, b];
  const parts = [...(left.kind === 'product' ? left.parts : [left]), ...(right.kind === 'product' ? right.parts : [right])];
  const product = { kind: 'product', parts };
  return first * second === 1 ? product : { kind: 'scale', factor: first * second, part: product };
}

// The last term of the kernel times a block.
export function asFactor(root, block) {
  if (root.kind !== 'sum') return multiply(root, block);
  const parts = [...root.parts];
  parts[parts.length - 1] = multiply(parts[parts.length - 1], block);
  return { ...root, parts };
}

export function wrap(block, how) {
  if (how === 'square') return { kind: 'power', exponent: 2, part: block };
  return { kind: 'method', name: how, part: block };
}
