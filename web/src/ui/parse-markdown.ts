/**
 * Parses common Markdown: headings, lists, tasks, quotes, code, bold, italic, links. The result is data, never HTML. Any text is
 * parsed in one pass: the time grows linearly with its length.
 */
export const parseMarkdown = (text: string): Block[] =>
  parseBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0)

export type Block =
  | { readonly kind: 'title'; readonly content: Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: Item[] }
  | { readonly kind: 'quote'; readonly blocks: Block[] }
  | { readonly kind: 'paragraph'; readonly lines: Inline[][] }

export interface Item {
  /** Undefined for an item that is not a task. */
  readonly isDone: boolean | undefined
  readonly content: Inline[]
}

export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly content: Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly label: string }

/** Deeper quotes become text: each level uses the browser's stack. */
const quotesMax = 8

const item = /^\s*[-*+] +/
const numbered = /^\s*\d{1,4}[.)] +/
const quote = /^> ?/
const title = /^#{1,4} +/
const fence = /^```/

/** Lines of a text, or of a quote. */
interface Lines {
  readonly lines: readonly string[]
  readonly depth: number
  at: number
}

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  const source = { lines, depth, at: 0 }
  const blocks: Block[] = []
  while (source.at < lines.length) {
    const block = parseBlock(source, lines[source.at] ?? '')
    if (block) blocks.push(block)
  }
  return blocks
}

function parseBlock(source: Lines, line: string): Block | undefined {
  if (line.trim() === '') {
    source.at += 1
    return undefined
  }
  if (fence.test(line)) return parseCode(source)
  if (title.test(line)) {
    source.at += 1
    return { kind: 'title', content: parseInline(line.replace(title, '')) }
  }
  if (item.test(line)) return parseList(source, item)
  if (numbered.test(line)) return parseList(source, numbered)
  if (isQuote(source, line)) return parseQuote(source)
  const lines = takeWhile(source, (next) => next.trim() !== '' && !beginsBlock(source, next))
  return { kind: 'paragraph', lines: lines.map(parseInline) }
}

const isQuote = ({ depth }: Lines, line: string): boolean => depth < quotesMax && quote.test(line)

const beginsBlock = (source: Lines, line: string): boolean =>
  [item, numbered, title, fence].some((mark) => mark.test(line)) || isQuote(source, line)

/** The current line and the following ones for which the condition holds. */
function takeWhile(source: Lines, goesOn: (line: string) => boolean): string[] {
  const { lines, at } = source
  source.at += 1
  while (source.at < lines.length && goesOn(lines[source.at] ?? '')) source.at += 1
  return lines.slice(at, source.at)
}

function parseCode(source: Lines): Block {
  const [, ...lines] = takeWhile(source, (line) => !fence.test(line))
  // The closing fence.
  source.at += 1
  return { kind: 'code', text: lines.join('\n') }
}

function parseQuote(source: Lines): Block {
  const quoted = takeWhile(source, (line) => isQuote(source, line))
  const lines = quoted.map((line) => line.replace(quote, ''))
  return { kind: 'quote', blocks: parseBlocks(lines, source.depth + 1) }
}

function parseList(source: Lines, mark: RegExp): Block {
  const lines = takeWhile(source, (line) => mark.test(line))
  const items = lines.map((line) => parseItem(line.replace(mark, '')))
  return { kind: 'list', isNumbered: mark === numbered, items }
}

function parseItem(text: string): Item {
  const [, mark, rest = ''] = /^\[([ xX])\] +(.*)$/.exec(text) ?? []
  if (mark === undefined) return { isDone: undefined, content: parseInline(text) }
  return { isDone: mark !== ' ', content: parseInline(rest) }
}

/** The inline marks of a line. A mark contains none of the same kind, so they nest four levels deep at most. */
function parseInline(text: string): Inline[] {
  const content: Inline[] = []
  const begin = /[`*_[]|https?:\/\//g
  let rules: ReturnType<typeof rulesOf> | undefined
  let plainFrom = 0
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    const at = found.index
    rules ??= rulesOf(text)
    const match = rules[found[0][0] as keyof typeof rules](at)
    // The next character may begin a mark as well.
    begin.lastIndex = match?.end ?? at + 1
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

/** Each searches for its end over the text once, however often it is called. */
function rulesOf(text: string) {
  const enclosed =
    (kind: 'strong' | 'em', mark: string, nextOf: (from: number) => number): Rule =>
    (at) => {
      const from = at + mark.length
      const end = text.startsWith(mark, at) ? nextOf(from + 1) : Number.POSITIVE_INFINITY
      if (end === Number.POSITIVE_INFINITY) return undefined
      return { inline: { kind, content: parseInline(text.slice(from, end)) }, end: end + mark.length }
    }
  const starred = enclosed('strong', '**', search(text, /\*\*/g))
  const underlined = enclosed('strong', '__', search(text, /__/g))
  const em = enclosed('em', '*', search(text, /\*/g))
  const emUnderlined = enclosed('em', '_', search(text, /_/g))
  const nextTick = search(text, /`/g)
  return {
    '`': (at: number): Match | undefined => {
      const end = nextTick(at + 1)
      if (end === at + 1 || end === Number.POSITIVE_INFINITY) return undefined
      return { inline: { kind: 'code', text: text.slice(at + 1, end) }, end: end + 1 }
    },
    '*': (at: number) => starred(at) ?? (/[^*\s]/.test(text[at + 1] ?? ' ') ? em(at) : undefined),
    _: (at: number) => underlined(at) ?? wholeWord(text, at, emUnderlined),
    '[': linkRule(text),
    h: (at: number): Match | undefined => {
      address.lastIndex = at
      const [href] = address.exec(text) ?? []
      return href === undefined ? undefined : { inline: linkTo(href, href), end: at + href.length }
    },
  } satisfies Readonly<Record<string, Rule>>
}

/** Underlines within a word are part of a name, such as those of a file. */
function wholeWord(text: string, at: number, rule: Rule): Match | undefined {
  if (/\w/.test(text[at - 1] ?? ' ') || text[at + 1] === '_') return undefined
  const match = rule(at)
  return match && !/\w/.test(text[match.end] ?? ' ') ? match : undefined
}

function linkRule(text: string): Rule {
  const nextBracket = search(text, /\]/g)
  const nextEnd = search(text, /[)\s]/g)
  return (at) => {
    const labelEnd = nextBracket(at + 1)
    if (labelEnd === at + 1 || text[labelEnd + 1] !== '(') return undefined
    const hrefFrom = labelEnd + 2
    const hrefEnd = nextEnd(hrefFrom)
    if (hrefEnd === hrefFrom || text[hrefEnd] !== ')') return undefined
    const inline = linkTo(text.slice(hrefFrom, hrefEnd), text.slice(at + 1, labelEnd))
    return { inline, end: hrefEnd + 1 }
  }
}

const address = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/y

/** Links lead only to the web and to mail. */
const linkTo = (href: string, label: string): Inline =>
  /^(https?:\/\/|mailto:)/i.test(href) ? { kind: 'link', href, label } : label

/**
 * The next position of the pattern; infinity if there is none. Call it with increasing positions: it never searches backwards.
 */
function search(text: string, pattern: RegExp): (from: number) => number {
  let known = -1
  return (from) => {
    if (known >= from) return known
    pattern.lastIndex = from
    known = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
    return known
  }
}
