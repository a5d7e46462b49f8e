/** What ends nowhere but at its own end: comments, texts, names, bodies of functions. Nothing else may hold a semicolon. */
const piece = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$[a-z_]*\$)[\s\S]*?\1|;|[^;'"$-]+|[-$]/gi

/** The statements of a migration, one by one: a store that sends them on to other nodes takes them no other way. */
export function statementsOf(text: string): readonly string[] {
  const statements = ['']
  for (const [found] of text.matchAll(piece)) {
    if (found === ';') statements.push('')
    else if (!found.startsWith('--')) statements[statements.length - 1] += found
  }
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
