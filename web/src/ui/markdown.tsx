import type { ComponentChild } from 'preact'
import { useServices } from '../services/services.ts'
import { AttachmentImage, AttachmentLink } from './attachment-content.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { type Block, type Inline, type Item, parseMarkdown } from './parse-markdown.ts'

/** Markdown becomes elements, never HTML, so that text cannot inject markup. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <ErrorBoundary key={text} fallback={() => <p class="as-typed">{text}</p>}>
    <Blocks text={text} />
  </ErrorBoundary>
)

const Blocks = ({ text }: { readonly text: string }) => (
  <div class="markdown">{parseMarkdown(text).map(renderBlock)}</div>
)

function renderBlock(block: Block): ComponentChild {
  switch (block.kind) {
    case 'title':
      return <p class="markdown-title">{block.content.map(renderInline)}</p>
    case 'code':
      return <pre>{block.text}</pre>
    case 'list': {
      const List = block.isNumbered ? 'ol' : 'ul'
      return <List>{block.items.map(renderItem)}</List>
    }
    case 'quote':
      return <blockquote>{block.blocks.map(renderBlock)}</blockquote>
    case 'paragraph':
      return (
        <p dir="auto">
          {block.lines.map((line, index) => (
            <span key={index}>
              {index > 0 && <br />}
              {line.map(renderInline)}
            </span>
          ))}
        </p>
      )
  }
}

const renderItem = ({ isDone, content }: Item, index: number): ComponentChild => (
  <li key={index}>
    {isDone !== undefined && (isDone ? '☑ ' : '☐ ')}
    {content.map(renderInline)}
  </li>
)

function Mention({ userId }: { readonly userId: string }) {
  const { people } = useServices()
  return (
    <span class="mention" dir="auto">
      @{people.nameOf(userId)}
    </span>
  )
}

function renderInline(inline: Inline): ComponentChild {
  if (typeof inline === 'string') return inline
  switch (inline.kind) {
    case 'code':
      return <code>{inline.text}</code>
    case 'strong':
      return <strong>{inline.content.map(renderInline)}</strong>
    case 'em':
      return <em>{inline.content.map(renderInline)}</em>
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inline.label}
        </a>
      )
    case 'mention':
      return <Mention userId={inline.userId} />
    case 'file':
      return <AttachmentLink id={inline.attachmentId} name={inline.label} />
    case 'image':
      return <AttachmentImage id={inline.attachmentId} name={inline.label} />
  }
}
