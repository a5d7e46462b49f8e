import { t } from '../../texts/text.ts'
import { bytesMax, itemsMax, type Source } from './items.ts'
import { decodeText, parseCsv } from './parse-csv.ts'
import { readTrello } from './read-trello.ts'

export interface ReadFile {
  readonly name: string
  readonly fingerprint: string
  readonly source: Source
}

/** Reads a table, or a board of Trello. Throws an error in the user's words if the file is neither. */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.size > bytesMax)
    throw new Error(t('The file is larger than {max} MB.', { max: bytesMax / 1024 ** 2 }))
  const bytes = await file.arrayBuffer()
  const source = parseSource(decodeText(bytes))
  const count = source.kind === 'items' ? source.items.length : source.rows.length
  if (count === 0) throw new Error(t('The file has no rows.'))
  if (count > itemsMax)
    throw new Error(
      t('The file has {count} rows. At most {max} can be imported at once.', { count, max: itemsMax }),
    )
  return { name: file.name, fingerprint: await fingerprintOf(bytes), source }
}

function parseSource(text: string): Source {
  if (!/^\uFEFF?\s*\{/.test(text)) {
    const [header, ...rows] = parseCsv(text)
    return { kind: 'table', header: header?.cells ?? [], rows }
  }
  const source = readTrello(parseJson(text))
  if (source === undefined) throw new Error(t('The JSON is no board of Trello.'))
  return source
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

async function fingerprintOf(bytes: ArrayBuffer): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
