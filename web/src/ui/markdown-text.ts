/** A replacement in a text, and the range that is selected after it. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly select: readonly [number, number]
}

/** Returns the edit of a text in which a range is selected. */
type Tool = (text: string, start: number, end: number) => Edit

/** The beginning of an item: its indent, its bullet or number, and the box of a task. */
const itemStart = /^(\s*)(?:([-*+] +|\d{1,4}[.)] +)(\[[ xX]\] +)?)?/

type Mark = '**' | '*' | '`'

/**
 * Puts a mark around the selection, or removes it. A mark works only within a line, so each selected line
 * gets its own mark.
 */
export const toggleMark =
  (mark: Mark): Tool =>
  (text, start, end) => {
    const { length } = mark
    const [from, to] = withoutSpaces(text, start, end)
    const inner = text.slice(from, to)
    if (isMarked(countAtEnd(text.slice(0, from), mark), countAtStart(text.slice(to), mark), mark))
      return { from: from - length, to: to + length, text: inner, select: [from - length, to - length] }
    const content = inner.slice(length, -length)
    if (isMarked(countAtStart(inner, mark), countAtEnd(inner, mark), mark) && isOnePair(content, mark))
      return { from, to, text: content, select: [from, from + content.length] }
    if (!inner.includes('\n'))
      return { from, to, text: mark + inner + mark, select: [from + length, to + length] }
    const lines = inner.split('\n').map((line) => markLine(line, mark))
    const marked = lines.join('\n')
    return { from, to, text: marked, select: [from, from + marked.length] }
  }

function withoutSpaces(text: string, start: number, end: number): [number, number] {
  const inner = text.slice(start, end)
  const trimmed = inner.trim()
  if (trimmed === '') return [start, end]
  const from = start + inner.indexOf(trimmed)
  return [from, from + trimmed.length]
}

const countAtStart = (text: string, mark: Mark): number =>
  (mark === '`' ? /^`*/ : /^\**/).exec(text)?.[0].length ?? 0

const countAtEnd = (text: string, mark: Mark): number => countAtStart([...text].reverse().join(''), mark)

/** Two stars mark bold but not italic text, and three stars mark both. */
function isMarked(before: number, after: number, mark: Mark): boolean {
  const count = Math.min(before, after)
  return mark === '**' ? count >= 2 : count % 2 === 1
}

/** Returns whether the marks around the content belong together, unlike those of `**a** and **b**`. */
const isOnePair = (content: string, mark: Mark): boolean =>
  content !== '' && !content.replaceAll(/^\*+|\*+$/g, '').includes(mark)

function markLine(line: string, mark: Mark): string {
  const [start = ''] = itemStart.exec(line) ?? []
  const content = line.slice(start.length).trimEnd()
  return content === '' ? line : start + mark + content + mark
}

/** Marks text within a line as inline code, and several lines as a block of code. */
export const toggleCode: Tool = (text, start, end) => {
  if (!text.slice(start, end).includes('\n')) return toggleMark('`')(text, start, end)
  const [from, to] = wholeLines(text, start, end)
  const block = `\`\`\`\n${text.slice(from, to)}\n\`\`\``
  return { from, to, text: block, select: [from, from + block.length] }
}

const webAddress = /^(https?:\/\/|mailto:)\S+$/i

/** Makes the selection the label or the address of a link, and selects the part that is missing. */
export const insertLink =
  (placeholder: string): Tool =>
  (text, start, end) => {
    const [from, to] = withoutSpaces(text, start, end)
    const inner = text.slice(from, to)
    const isAddress = webAddress.test(inner)
    const label = isAddress || inner === '' ? placeholder : inner.replaceAll(/\s+/g, ' ')
    const address = isAddress ? inner : 'https://'
    const missing = label === placeholder ? from + 1 : from + label.length + 3
    const link = `[${label}](${address})`
    return {
      from,
      to,
      text: link,
      select: [missing, missing + (label === placeholder ? label : address).length],
    }
  }

/** Extends a range to whole lines. */
function wholeLines(text: string, start: number, end: number): [number, number] {
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end
  const to = text.indexOf('\n', last)
  return [text.lastIndexOf('\n', start - 1) + 1, to < 0 ? text.length : to]
}

interface LineMark {
  /** True if blank lines between others are marked, too. */
  readonly marksBlank?: boolean
  has(line: string): boolean
  /** `index` counts the marked lines from 0. */
  add(line: string, index: number): string
  remove(line: string): string
}

/** Adds the mark to each selected line, or removes it if all of them have it. */
const toggleLines =
  ({ has, add, remove, marksBlank = false }: LineMark): Tool =>
  (text, start, end) => {
    const [from, to] = wholeLines(text, start, end)
    const lines = text.slice(from, to).split('\n')
    const isBlank = (line: string) => !marksBlank && lines.length > 1 && line.trim() === ''
    const change = lines.every((line) => isBlank(line) || has(line)) ? remove : add
    let count = 0
    const changed = lines.map((line) => (isBlank(line) ? line : change(line, count++))).join('\n')
    const caret = Math.max(from, start + changed.length - (to - from))
    return { from, to, text: changed, select: start === end ? [caret, caret] : [from, from + changed.length] }
  }

const asItem = (start: string) => (line: string) =>
  line.replace(itemStart, (_, indent: string) => indent + start)

export const toggleList = toggleLines({
  has(line) {
    const [, , mark = '', box] = itemStart.exec(line) ?? []
    return /^[-*+]/.test(mark) && box === undefined
  },
  add: asItem('- '),
  remove: asItem(''),
})

export const toggleNumbers = toggleLines({
  has: (line) => /^\s*\d/.test(itemStart.exec(line)?.[0] ?? ''),
  add: (line, index) => asItem(`${index + 1}. `)(line),
  remove: asItem(''),
})

export const toggleTasks = toggleLines({
  has(line) {
    const [, , mark, box] = itemStart.exec(line) ?? []
    return mark !== undefined && box !== undefined
  },
  add: asItem('- [ ] '),
  remove: asItem(''),
})

const headingStart = /^#{1,6} +/

export const toggleHeading = toggleLines({
  has: (line) => headingStart.test(line),
  add: (line) => `## ${line.replace(headingStart, '')}`,
  remove: (line) => line.replace(headingStart, ''),
})

export const toggleQuote = toggleLines({
  marksBlank: true,
  has: (line) => line.startsWith('>'),
  add: (line) => `> ${line}`,
  remove: (line) => line.replace(/^> ?/, ''),
})

/**
 * Returns the edit of Enter in a list or a quote, or undefined elsewhere. The next line gets the same mark,
 * and an empty item ends its list.
 */
export function continueLine(text: string, caret: number): Edit | undefined {
  const [from, to] = wholeLines(text, caret, caret)
  const line = text.slice(from, to)
  const [quotes = ''] = /^(?:> ?)*/.exec(line) ?? []
  const [, indent = '', mark = '', box] = itemStart.exec(line.slice(quotes.length)) ?? []
  const start = quotes + indent + mark + (box ?? '')
  if (quotes + mark === '' || caret - from < start.length) return undefined
  if (line.length === start.length) return { from, to, text: '', select: [from, from] }
  const nextMark = mark.replace(/^\d+/, (number) => String(Number(number) + 1))
  const next = `\n${quotes}${indent}${nextMark}${box === undefined ? '' : '[ ] '}`
  return { from: caret, to: caret, text: next, select: [caret + next.length, caret + next.length] }
}

/** A line that quotes a text shows fewer characters, so the others need not be processed. */
const charactersMax = 2000

/**
 * Leaves out the marks of Markdown, for a line that quotes a text. Single stars and underscores stay, because
 * they may be part of the text, as in `2 * 3` and `snake_case`.
 */
export const plainText = (markdown: string): string =>
  markdown
    .slice(0, charactersMax)
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+](?: \[[ xX]\])?|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1')
    .replaceAll(/(\*\*|__|~~|`)([^*_~`\n]+)\1/g, '$2')
