// Blocks as an expression of Python, the same that mercer prints.

const SUM = 0, PRODUCT = 1, POWER = 2, CALL = 3;

export function print(block, outer = SUM) {
  switch (block.kind) {
    case 'sum': return inside(printSum(block.parts), SUM, outer);
    case 'product': return inside(block.parts.map((part) => print(part, POWER)).join(' * '), PRODUCT, outer);
    case 'scale': return inside(`${number(block.factor)} * ${print(block.part, block.part.kind === 'product' ? PRODUCT : POWER)}`, PRODUCT, outer);
    case 'power': return inside(`${print(block.part, CALL)}**${number(block.exponent, Number.isInteger(block.exponent))}`, POWER, outer);
    case 'method': return `${print(block.part, CALL)}.${block.name}()`;
    case 'text': return inside(block.text, /[+*@/-]/.test(block.text.replace(/\(.*\)/s, '')) ? SUM : CALL, outer);
    default: return `${block.name}(${block.params.filter(isGiven).map(argument).join(', ')})`;
  }
}

function inside(text, own, outer) {
  return own < outer ? `(${text})` : text;
}

function printSum(parts) {
  return parts.map((part, at) => {
    const negative = part.kind === 'scale' && part.factor < 0;
    if (at === 0) return print(part, PRODUCT);
    if (!negative) return ` + ${print(part, PRODUCT)}`;
    const flipped = part.factor === -1 ? part.part : { ...part, factor: -part.factor };
    return ` - ${print(flipped, PRODUCT)}`;
  }).join('');
}

function isGiven(param) {
  if (param.block || param.text !== undefined) return true;
  return !('default' in param) || param.value !== param.default;
}

function argument(param) {
  if (param.block) return `${param.name}=${print(param.block)}`;
  if (param.text !== undefined) return `${param.name}=${param.text}`;
  return `${param.name}=${literal(param.value, param.whole)}`;
}

function literal(value, whole) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return number(value, whole || Number.isInteger(value) && whole !== false);
}

export function number(value, whole = false) {
  const short = Number(value.toPrecision(4));
  if (whole) return String(Math.round(short));
  const text = String(short);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
