import type { Row } from './items.ts'

const separators = [',', ';', '\t'] as const

/** Parses a table as defined by RFC 4180, also with semicolons or tabs between the cells. Leaves out empty lines. */
export function parseCsv(text: string): readonly Row[] {
  const content = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(content)
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"[^${separator}\\r\\n]*|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`,
    'y',
  )
  const rows: Row[] = []
  let cells: string[] = []
  let line = 1
  let firstLine = 1
  while (cell.lastIndex < content.length) {
    const [matched, quoted, plain = '', end] = cell.exec(content) as unknown as readonly [
      string,
      string?,
      string?,
      string?,
    ]
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"').trim())
    line += matched.match(/\r\n|\r|\n/g)?.length ?? 0
    if (end === separator && cell.lastIndex < content.length) continue
    if (end === separator) cells.push('')
    if (cells.some((one) => one !== '')) rows.push({ line: firstLine, cells })
    cells = []
    firstLine = line
  }
  return rows
}

/** Returns the separator that occurs most often in the first line, outside of quotes. */
function separatorOf(content: string): (typeof separators)[number] {
  const [head = ''] = content.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r\n|\r|\n/, 1)
  const counts = separators.map((separator) => head.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Decodes UTF-8, or Windows-1252, which spreadsheets write where the content is no valid UTF-8. */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
