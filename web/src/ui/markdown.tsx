import type { ComponentChild, ComponentChildren } from 'preact'

/**
 * Text with the marks people know: headings, lists, tasks, quotes, code, bold, italic, links. It becomes elements, never
 * HTML, so that nothing typed can be more than text; links lead to the web and to mail only.
 */
export const Markdown = ({ text }: { readonly text: string }) => <div class="markdown">{blocksOf(text)}</div>

function blocksOf(text: string): ComponentChild[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: ComponentChild[] = []
  while (lines.length > 0) {
    const kind = kinds.find(({ begins }) => begins.test(lines[0] ?? '')) ?? paragraph
    const end = lines.findIndex((line, index) => index > 0 && !kind.goesOn(line))
    blocks.push(kind.draw(lines.splice(0, end === -1 ? lines.length : end)))
  }
  return blocks
}

interface Kind {
  readonly begins: RegExp
  goesOn(line: string): boolean
  draw(lines: readonly string[]): ComponentChild
}

const item = /^\s*[-*+] +/
const numbered = /^\s*\d{1,4}[.)] +/
const quote = /^> ?/
const heading = /^#{1,4} +/
const fence = /^```/

const blank: Kind = { begins: /^\s*$/, goesOn: (line) => line.trim() === '', draw: () => null }

const code: Kind = {
  begins: fence,
  // Up to the closing fence, which the next block finds; that one line is dropped there.
  goesOn: (line) => !fence.test(line),
  draw: ([, ...lines]) => (lines.length === 0 ? null : <pre>{lines.join('\n')}</pre>),
}

const title: Kind = {
  begins: heading,
  goesOn: () => false,
  draw: ([line = '']) => <p class="markdown-title">{inlineOf(line.replace(heading, ''))}</p>,
}

const list = (mark: RegExp, List: 'ul' | 'ol'): Kind => ({
  begins: mark,
  goesOn: (line) => mark.test(line),
  draw: (lines) => (
    <List>
      {lines.map((line, index) => (
        <li key={index}>{taskOf(line.replace(mark, ''))}</li>
      ))}
    </List>
  ),
})

const quoted: Kind = {
  begins: quote,
  goesOn: (line) => quote.test(line),
  draw: (lines) => (
    <blockquote>{blocksOf(lines.map((line) => line.replace(quote, '')).join('\n'))}</blockquote>
  ),
}

const kinds: readonly Kind[] = [blank, code, title, list(item, 'ul'), list(numbered, 'ol'), quoted]

const paragraph: Kind = {
  begins: /./,
  goesOn: (line) => !kinds.some(({ begins }) => begins.test(line)),
  draw: (lines) => (
    <p dir="auto">
      {lines.map((line, index) => (
        <span key={index}>
          {index > 0 && <br />}
          {inlineOf(line)}
        </span>
      ))}
    </p>
  ),
}

function taskOf(text: string): ComponentChildren {
  const [, mark, rest = ''] = /^\[([ xX])\] +(.*)$/.exec(text) ?? []
  if (mark === undefined) return inlineOf(text)
  return (
    <>
      {mark === ' ' ? '☐ ' : '☑ '}
      {inlineOf(rest)}
    </>
  )
}

/** The first that fits wins; each takes its text from the first group it has. */
const inline =
  /`([^`]+)`|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/

function inlineOf(text: string): ComponentChild[] {
  const found = inline.exec(text)
  if (found === null) return [text]
  const before = text.slice(0, found.index)
  return [before, drawInline(found), ...inlineOf(text.slice(found.index + found[0].length))]
}

function drawInline([all, code, ...others]: RegExpExecArray): ComponentChild {
  const [strong, strongToo, em, emToo, label, href, address] = others
  if (code !== undefined) return <code>{code}</code>
  const bold = strong ?? strongToo
  if (bold !== undefined) return <strong>{inlineOf(bold)}</strong>
  const italic = em ?? emToo
  if (italic !== undefined) return <em>{inlineOf(italic)}</em>
  return linkTo(href ?? address ?? '', label ?? address ?? all)
}

const linkTo = (href: string, label: string): ComponentChild =>
  /^(https?:\/\/|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  ) : (
    label
  )
