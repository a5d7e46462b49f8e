import { mentionPattern } from './mention-text.ts'

/**
 * Parses headings, lists, tasks, quotes, tables, code, links, and bold, italic and struck text. The result is
 * data, never HTML. The time grows linearly with the length of the text.
 */
export const parseMarkdown = (text: string): Block[] => parseBlocks(splitLines(text), 0)

export type Block =
  | { readonly kind: 'title'; readonly level: number; readonly content: Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | List
  | { readonly kind: 'quote'; readonly blocks: Block[] }
  | { readonly kind: 'paragraph'; readonly lines: Inline[][] }
  | Table

export interface Table {
  readonly kind: 'table'
  readonly head: Inline[][]
  /** Each row has at most as many cells as the head. */
  readonly rows: Inline[][][]
}

export interface List {
  readonly kind: 'list'
  readonly isNumbered: boolean
  readonly items: Item[]
}

export interface Item {
  /** Undefined for an item that is not a task. */
  readonly task: Task | undefined
  readonly content: Inline[]
  /** The lists of items that are indented further. */
  readonly lists: List[]
}

export interface Task {
  readonly isDone: boolean
  /** The position in the text of the character between the brackets. */
  readonly at: number
  readonly source: string
}

export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly content: Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly label: string }
  | { readonly kind: 'mention'; readonly userId: string }
  | { readonly kind: 'file' | 'image'; readonly attachmentId: string; readonly label: string }

/**
 * Deeper quotes become text, and deeper items stay on the last level, because each level takes up stack
 * space.
 */
const levelsMax = 8

const item = /^\s*[-*+] +/
const numberedItem = /^\s*\d{1,4}[.)] +/
const quote = /^> ?/
const title = /^#{1,4} +/
const fence = /^```/

interface Line {
  readonly text: string
  /** The position of its first character in the whole text. */
  readonly at: number
}

function splitLines(text: string): Line[] {
  let next = 0
  return text.split('\n').map((line) => {
    const at = next
    next += line.length + 1
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, at }
  })
}

/** Removes the mark at the beginning of a line. */
function withoutMark({ text, at }: Line, mark: RegExp): Line {
  const content = text.replace(mark, '')
  return { text: content, at: at + text.length - content.length }
}

/** A position in the lines of a text, or of a quote in it. */
interface LineReader {
  readonly lines: readonly Line[]
  readonly depth: number
  position: number
}

function parseBlocks(lines: readonly Line[], depth: number): Block[] {
  const reader = { lines, depth, position: 0 }
  const blocks: Block[] = []
  while (reader.position < lines.length) blocks.push(...parseBlock(reader, textAt(reader)))
  return blocks
}

const textAt = ({ lines, position }: LineReader): string => lines[position]?.text ?? ''

function parseBlock(reader: LineReader, line: string): Block[] {
  if (line.trim() === '') {
    reader.position += 1
    return []
  }
  if (fence.test(line)) return [parseCode(reader)]
  if (title.test(line)) {
    reader.position += 1
    const level = line.indexOf(' ')
    return [{ kind: 'title', level, content: parseInline(line.slice(level).trimStart()) }]
  }
  if (isItem(line)) return parseLists(takeWhile(reader, isItem), 1)
  if (isQuote(reader, line)) return [parseQuote(reader)]
  if (isTable(reader)) return [parseTable(reader)]
  const lines = takeWhile(reader, (next) => next.trim() !== '' && !beginsBlock(reader, next))
  return [{ kind: 'paragraph', lines: lines.map(({ text }) => parseInline(text)) }]
}

const isItem = (line: string): boolean => item.test(line) || numberedItem.test(line)

const isQuote = ({ depth }: LineReader, line: string): boolean => depth < levelsMax && quote.test(line)

const beginsBlock = (reader: LineReader, line: string): boolean =>
  isItem(line) || title.test(line) || fence.test(line) || isQuote(reader, line) || isTable(reader)

/** Consumes the current line, and the following ones as long as they belong to it. */
function takeWhile(reader: LineReader, belongs: (line: string) => boolean): Line[] {
  const { lines, position: start } = reader
  reader.position += 1
  while (reader.position < lines.length && belongs(textAt(reader))) reader.position += 1
  return lines.slice(start, reader.position)
}

function parseCode(reader: LineReader): Block {
  const [, ...lines] = takeWhile(reader, (line) => !fence.test(line))
  // Skips the closing fence.
  reader.position += 1
  return { kind: 'code', text: lines.map(({ text }) => text).join('\n') }
}

/** A table begins with a line of cells, and a line of as many cells with dashes. */
function isTable({ lines, position }: LineReader): boolean {
  const [head, dashes] = [lines[position]?.text ?? '', lines[position + 1]?.text ?? '']
  if (!head.includes('|') || !dashes.includes('|')) return false
  const cells = cellsOf(dashes)
  return cells.every((cell) => /^:?-+:?$/.test(cell)) && cells.length === cellsOf(head).length
}

const cellsOf = (line: string): string[] => {
  const cells = line.trim().split('|')
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells.map((cell) => cell.trim())
}

function parseTable(reader: LineReader): Table {
  const [first, , ...others] = takeWhile(reader, (line) => line.includes('|'))
  const head = cellsOf(first?.text ?? '').map(parseInline)
  return {
    kind: 'table',
    head,
    rows: others.map(({ text }) => cellsOf(text).slice(0, head.length).map(parseInline)),
  }
}

function parseQuote(reader: LineReader): Block {
  const quoted = takeWhile(reader, (line) => isQuote(reader, line))
  const lines = quoted.map((line) => withoutMark(line, quote))
  return { kind: 'quote', blocks: parseBlocks(lines, reader.depth + 1) }
}

/** A list within an item is indented by at least this many spaces more than the item. */
const indentMin = 2

const indentOf = ({ text }: Line): number => text.length - text.trimStart().length

/**
 * Parses lines of items. Bullets and numbers next to each other are two lists; lines that are indented
 * further belong to an item.
 */
function parseLists(lines: readonly Line[], depth: number): List[] {
  const lists: List[] = []
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as Line
    const innerFrom = index + 1
    const innerIndent = depth < levelsMax ? indentOf(line) + indentMin : Number.POSITIVE_INFINITY
    index = innerFrom
    while (index < lines.length && indentOf(lines[index] as Line) >= innerIndent) index += 1
    const isNumbered = numberedItem.test(line.text)
    const inner = parseLists(lines.slice(innerFrom, index), depth + 1)
    const parsed = parseItem(withoutMark(line, isNumbered ? numberedItem : item), inner)
    const last = lists.at(-1)
    if (last?.isNumbered === isNumbered) last.items.push(parsed)
    else lists.push({ kind: 'list', isNumbered, items: [parsed] })
  }
  return lists
}

function parseItem({ text, at }: Line, lists: List[]): Item {
  const [, mark, source = ''] = /^\[([ xX])\] +(.*)$/.exec(text) ?? []
  if (mark === undefined) return { task: undefined, content: parseInline(text), lists }
  return { task: { isDone: mark !== ' ', at: at + 1, source }, content: parseInline(source), lists }
}

/** Returns the tasks in the blocks of a text, in their order. */
export const tasksIn = (blocks: readonly Block[]): Task[] =>
  blocks.flatMap((block) => {
    if (block.kind === 'quote') return tasksIn(block.blocks)
    if (block.kind !== 'list') return []
    return block.items.flatMap(({ task, lists }) => [...(task ? [task] : []), ...tasksIn(lists)])
  })

/**
 * Returns a function that ticks or clears a task in any version of the text. It changes only the character
 * between the brackets. It returns undefined if the version does not clearly contain the task.
 */
export function createTick(text: string, task: Task): (version: string) => string | undefined {
  const sameTasks = (version: string) =>
    tasksIn(parseMarkdown(version)).filter(({ source }) => source === task.source)
  const before = sameTasks(text)
  const index = before.findIndex(({ at }) => at === task.at)
  return (version) => {
    const now = sameTasks(version)
    const { at } = now[index] ?? {}
    if (at === undefined || now.length !== before.length) return undefined
    return version.slice(0, at) + (task.isDone ? ' ' : 'x') + version.slice(at + 1)
  }
}

/**
 * Parses the inline marks of a line. The text within a mark does not contain this mark, so the five marks nest
 * at most five levels deep.
 */
function parseInline(text: string): Inline[] {
  const content: Inline[] = []
  const markStart = /[`*_[!]|~~|@\[user:|https?:\/\//g
  let rules: ReturnType<typeof createRules> | undefined
  let plainFrom = 0
  for (let begin = markStart.exec(text); begin; begin = markStart.exec(text)) {
    const at = begin.index
    rules ??= createRules(text)
    const match = rules[begin[0][0] as keyof typeof rules](at)
    // The next character may begin a mark as well.
    markStart.lastIndex = match?.end ?? at + 1
    if (!match) continue
    if (at > plainFrom) content.push(text.slice(plainFrom, at))
    content.push(match.inline)
    plainFrom = match.end
  }
  if (plainFrom < text.length) content.push(text.slice(plainFrom))
  return content
}

interface Match {
  readonly inline: Inline
  readonly end: number
}

type Rule = (at: number) => Match | undefined

/** Each rule searches the whole text for its end mark only once, no matter how often the rule is called. */
function createRules(text: string) {
  const createEmphasis =
    (kind: 'strong' | 'em' | 'del', mark: string, findNext: (from: number) => number): Rule =>
    (at) => {
      const from = at + mark.length
      const end = text.startsWith(mark, at) ? findNext(from + 1) : Number.POSITIVE_INFINITY
      if (end === Number.POSITIVE_INFINITY) return undefined
      return { inline: { kind, content: parseInline(text.slice(from, end)) }, end: end + mark.length }
    }
  const strongByStars = createEmphasis('strong', '**', createSearch(text, /\*\*/g))
  const strongByUnderscores = createEmphasis('strong', '__', createSearch(text, /__/g))
  const emByStar = createEmphasis('em', '*', createSearch(text, /\*/g))
  const emByUnderscore = createEmphasis('em', '_', createSearch(text, /_/g))
  const findBacktick = createSearch(text, /`/g)
  return {
    '`': (at: number): Match | undefined => {
      const end = findBacktick(at + 1)
      if (end === at + 1 || end === Number.POSITIVE_INFINITY) return undefined
      return { inline: { kind: 'code', text: text.slice(at + 1, end) }, end: end + 1 }
    },
    '*': (at: number) => strongByStars(at) ?? (/[^*\s]/.test(text[at + 1] ?? ' ') ? emByStar(at) : undefined),
    _: (at: number) => strongByUnderscores(at) ?? wholeWord(text, at, emByUnderscore),
    '~': createEmphasis('del', '~~', createSearch(text, /~~/g)),
    '[': linkRule(text),
    '!': imageRule(text),
    '@': (at: number): Match | undefined => {
      mention.lastIndex = at
      const [whole = '', userId] = mention.exec(text) ?? []
      if (userId === undefined) return undefined
      return { inline: { kind: 'mention', userId: userId.toLowerCase() }, end: at + whole.length }
    },
    h: (at: number): Match | undefined => {
      webAddress.lastIndex = at
      const [href] = webAddress.exec(text) ?? []
      return href === undefined ? undefined : { inline: createLink(href, href), end: at + href.length }
    },
  } satisfies Readonly<Record<string, Rule>>
}

/** Underscores within a word are part of a name, such as a file name. */
function wholeWord(text: string, at: number, rule: Rule): Match | undefined {
  if (/\w/.test(text[at - 1] ?? ' ') || text[at + 1] === '_') return undefined
  const match = rule(at)
  return match && !/\w/.test(text[match.end] ?? ' ') ? match : undefined
}

function linkRule(text: string): Rule {
  const findBracket = createSearch(text, /\]/g)
  const findEnd = createSearch(text, /[)\s]/g)
  return (at) => {
    const labelEnd = findBracket(at + 1)
    if (labelEnd === at + 1 || text[labelEnd + 1] !== '(') return undefined
    const hrefFrom = labelEnd + 2
    const hrefEnd = findEnd(hrefFrom)
    if (hrefEnd === hrefFrom || text[hrefEnd] !== ')') return undefined
    const inline = createLink(text.slice(hrefFrom, hrefEnd), text.slice(at + 1, labelEnd))
    return { inline, end: hrefEnd + 1 }
  }
}

/** An exclamation mark before a link shows an attached image. Images of other sites stay links. */
function imageRule(text: string): Rule {
  const link = linkRule(text)
  return (at) => {
    const match = text[at + 1] === '[' ? link(at + 1) : undefined
    if (match === undefined || typeof match.inline === 'string' || match.inline.kind !== 'file')
      return undefined
    return { ...match, inline: { ...match.inline, kind: 'image' } }
  }
}

const mention = new RegExp(mentionPattern, 'iy')

const webAddress = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/y

const attachmentAddress = /^attachment:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

/** Links lead only to the web, to mail and to attachments. */
function createLink(href: string, label: string): Inline {
  const [, attachmentId] = attachmentAddress.exec(href) ?? []
  if (attachmentId !== undefined) return { kind: 'file', attachmentId, label }
  return /^(https?:\/\/|mailto:)/i.test(href) ? { kind: 'link', href, label } : label
}

/** Returns the Markdown that shows or links an attachment. Its label has no brackets, which would end it. */
export const attachmentMarkdown = (id: string, name: string, isImage: boolean): string =>
  `${isImage ? '!' : ''}[${name.replaceAll(/[[\]\s]+/g, ' ').trim()}](attachment:${id})`

/**
 * Returns a function that finds the next match of the pattern at or after `from`, or infinity. `from` must
 * never decrease, because the function does not search backwards.
 */
function createSearch(text: string, pattern: RegExp): (from: number) => number {
  let next = -1
  return (from) => {
    if (next >= from) return next
    pattern.lastIndex = from
    next = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
    return next
  }
}
