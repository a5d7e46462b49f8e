/** One token each, tried in this order. Only the semicolons outside of the other tokens end a statement. */
const tokens = {
  lineComment: /--[^\n]*/,
  blockComment: /\/\*[\s\S]*?\*\//,
  escapedLiteral: /(?<!\w)e'(?:[^'\\]|\\.|'')*'/,
  literal: /'(?:[^']|'')*'/,
  quotedName: /"[^"]*"/,
  functionBody: /(?<tag>\$(?:[a-z_]\w*)?\$)[\s\S]*?\k<tag>/,
  semicolon: /;/,
  // The letter is a token of its own, because it may begin an escaped literal.
  otherText: /[^;'"$/e-]+|[-/$e]/,
}

const sources = Object.values(tokens).map(({ source }) => source)
const token = new RegExp(sources.join('|'), 'gis')

/** Splits a migration into its statements, without comments. Throws if a quote is not closed. */
export function splitStatements(text: string): readonly string[] {
  const statements = ['']
  let end = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    if (index !== end) break
    end += found.length
    if (found === ';') statements.push('')
    else statements[statements.length - 1] += /^(--|\/\*)/.test(found) ? ' ' : found
  }
  if (end < text.length) throw new Error(`A quote is not closed: ${text.slice(end, end + 80)}`)
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
