import { t } from '../../texts/text.ts'

/** An assignment in a file, with names instead of ids, and with values as text. */
export interface ImportedItem {
  /** The line of the table, or the position of the card. */
  readonly line: number
  /** The key in the tool that the file comes from. Empty if it has none. */
  readonly reference: string
  readonly name: string
  readonly description: string
  readonly stage: string
  readonly type: string
  readonly priority: string
  readonly start: string
  readonly end: string
  readonly estimate: string
  /** The names of people. The first person is responsible. */
  readonly people: readonly string[]
  readonly labels: readonly string[]
  readonly comments: readonly ImportedComment[]
  readonly work: readonly ImportedWork[]
}

export interface ImportedComment {
  readonly author: string
  readonly date: string
  readonly text: string
}

/**
 * Time that a person spent. An empty person stands for the responsible person, and an empty date for the last
 * day of the assignment.
 */
export interface ImportedWork {
  readonly person: string
  readonly date: string
  readonly hours: string
  readonly text: string
}

/**
 * The content of a file: cards with known fields, or a table. The user maps the columns of a table to fields.
 */
export type Source =
  | { readonly kind: 'items'; readonly items: readonly ImportedItem[]; readonly skippedCount: number }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly Row[] }

export interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** A file is read, planned and previewed as a whole, in the memory of the page. */
const itemsMax = 10_000
const bytesMax = 50 * 1024 ** 2

export const splitNames = (cell: string): readonly string[] =>
  cell
    .split(/[,;|]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns each name once, in the order of first occurrence. Blank names are left out. */
export function distinctNames(names: Iterable<string>): readonly string[] {
  const byNormalized = new Map<string, string>()
  for (const name of names) {
    const normalized = normalizeName(name)
    if (normalized !== '' && !byNormalized.has(normalized)) byNormalized.set(normalized, name)
  }
  return [...byNormalized.values()]
}

/** Returns the form in which names are compared: without surrounding space, in lower case. */
export const normalizeName = (name: string): string => name.trim().toLowerCase()

export interface ReadFile {
  readonly name: string
  readonly fingerprint: string
  readonly source: Source
}

/** Reads a table or a Trello board. Throws an error in the user's language if the file is neither. */
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
  const source = parseTrello(parseJson(text))
  if (source === undefined) throw new Error(t('The JSON file is not a Trello board.'))
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

const separators = [',', ';', '\t'] as const

/** Parses CSV (RFC 4180), also with semicolons or tabs as separators. Leaves out empty lines. */
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
    // The pattern matches at every position, so the loop always advances.
    const [matched = '', quoted, plain = '', end] = cell.exec(content) ?? []
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"').trim())
    line += matched.match(/\r\n|\r|\n/g)?.length ?? 0
    if (end === separator && cell.lastIndex < content.length) continue
    if (end === separator) cells.push('')
    if (cells.some((text) => text !== '')) rows.push({ line: firstLine, cells })
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

/**
 * Decodes UTF-8 or, if the bytes are not valid UTF-8, Windows-1252, which older spreadsheet programs write.
 */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The imported properties of a board in the JSON export of Trello. */
interface Board {
  readonly lists: readonly Named[]
  readonly cards: readonly Card[]
  readonly members?: readonly {
    readonly id: string
    readonly fullName?: string
    readonly username?: string
  }[]
  readonly labels?: readonly (Named & { readonly color?: string | null })[]
  readonly checklists?: readonly Checklist[]
  readonly actions?: readonly Action[]
}

interface Named {
  readonly id: string
  readonly name: string
  readonly closed?: boolean
}

interface Card extends Named {
  readonly desc?: string
  readonly idList: string
  readonly idMembers?: readonly string[]
  readonly idLabels?: readonly string[]
  readonly start?: string | null
  readonly due?: string | null
  readonly pos?: number
}

interface Checklist {
  readonly idCard: string
  readonly name: string
  readonly checkItems: readonly { readonly name: string; readonly state: string; readonly pos?: number }[]
}

interface Action {
  readonly type: string
  readonly date?: string
  readonly data?: { readonly text?: string; readonly card?: { readonly id: string } }
  readonly memberCreator?: { readonly fullName?: string; readonly username?: string }
}

/** Converts the open cards of a board. Returns undefined if the JSON is not a board. */
export function parseTrello(board: unknown): Source | undefined {
  if (!isBoard(board)) return undefined
  const lists = new Map(board.lists.map((list) => [list.id, list]))
  const listOrder = new Map(board.lists.map(({ id }, index) => [id, index]))
  const isOpen = (card: Card) => !card.closed && lists.get(card.idList)?.closed !== true
  const cards = board.cards
    .filter(isOpen)
    .sort(
      (a, b) =>
        (listOrder.get(a.idList) ?? 0) - (listOrder.get(b.idList) ?? 0) || (a.pos ?? 0) - (b.pos ?? 0),
    )
  const people = new Map(board.members?.map(({ id, fullName, username }) => [id, fullName || username || '']))
  const labels = new Map(board.labels?.map(({ id, name, color }) => [id, name || (color ?? '')]))
  const checklists = Map.groupBy(board.checklists ?? [], ({ idCard }) => idCard)
  const comments = Map.groupBy(
    board.actions?.filter(({ type }) => type === 'commentCard') ?? [],
    ({ data }) => data?.card?.id,
  )
  const items = cards.map(
    (card, index): ImportedItem => ({
      line: index + 1,
      reference: '',
      name: card.name,
      description: [card.desc ?? '', ...(checklists.get(card.id) ?? []).map(checklistText)]
        .filter((part) => part !== '')
        .join('\n\n'),
      stage: lists.get(card.idList)?.name ?? '',
      type: '',
      priority: '',
      start: card.start ?? '',
      end: card.due ?? '',
      estimate: '',
      people: (card.idMembers ?? []).flatMap((id) => people.get(id) || []),
      labels: (card.idLabels ?? []).flatMap((id) => labels.get(id) || []),
      // The export has the newest action first.
      comments: (comments.get(card.id) ?? []).toReversed().map(({ date = '', data, memberCreator }) => ({
        author: memberCreator?.fullName || memberCreator?.username || '',
        date,
        text: data?.text ?? '',
      })),
      work: [],
    }),
  )
  return { kind: 'items', items, skippedCount: board.cards.length - cards.length }
}

const isBoard = (value: unknown): value is Board =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Partial<Board>).lists) &&
  Array.isArray((value as Partial<Board>).cards)

/** Formats a checklist as a Markdown list of tasks. */
const checklistText = ({ name, checkItems }: Checklist): string =>
  [
    `**${name}**`,
    '',
    ...checkItems
      .toSorted((a, b) => (a.pos ?? 0) - (b.pos ?? 0))
      .map((item) => `- [${item.state === 'complete' ? 'x' : ' '}] ${item.name}`),
  ].join('\n')
