import type { ComponentChild } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Tracker } from '#tracker-client'
import { findByKey, splitAtKeys } from '../data/assignments.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { useCopy } from './copy.tsx'
import { AttachmentImage, AttachmentLink } from './files.tsx'
import { IconButton } from './icon.tsx'
import { ErrorBoundary } from './page-states.tsx'
import {
  type Block,
  type Inline,
  type Item,
  type List,
  parseMarkdown,
  type Table,
  type Task,
  tasksIn,
} from './parse-markdown.ts'

interface MarkdownProps {
  readonly text: string
  /** Ticks or clears a task. Without it, the boxes of tasks are disabled. */
  readonly onTick?: ((task: Task) => void) | undefined
  /** Shows how many of the tasks are done. */
  readonly hasProgress?: boolean
}

/** Renders Markdown as elements, never as HTML, so that text cannot inject markup. */
export const Markdown = (props: MarkdownProps) => (
  <ErrorBoundary content={props.text} fallback={() => <p class="as-typed">{props.text}</p>}>
    <Blocks {...props} />
  </ErrorBoundary>
)

function Blocks({ text, onTick, hasProgress = false }: MarkdownProps) {
  const blocks = parseMarkdown(text)
  const tasks = hasProgress ? tasksIn(blocks) : []
  const doneCount = tasks.filter(({ isDone }) => isDone).length
  return (
    <div class="markdown">
      {blocks.map((block) => renderBlock(block, onTick))}
      {tasks.length > 0 && (
        <p class="quiet-text">{t('{done} of {count} done', { done: doneCount, count: tasks.length })}</p>
      )}
    </div>
  )
}

function renderBlock(block: Block, onTick: MarkdownProps['onTick']): ComponentChild {
  switch (block.kind) {
    case 'title':
      return <p class={`markdown-title level-${block.level}`}>{block.content.map(renderInline)}</p>
    case 'code':
      return <CodeBlock text={block.text} />
    case 'table':
      return <TableBlock {...block} />
    case 'list':
      return <ItemList list={block} onTick={onTick} />
    case 'quote':
      return <blockquote>{block.blocks.map((inner) => renderBlock(inner, onTick))}</blockquote>
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

function CodeBlock({ text }: { readonly text: string }) {
  const copy = useCopy()
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <IconButton icon="copy" label={t('Copy')} run={() => copy(text, t('The text was copied.'))} />
    </div>
  )
}

const TableBlock = ({ head, rows }: Table) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
  <div class="markdown-table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index} scope="col" dir="auto">
              {cell.map(renderInline)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {head.map((_, column) => (
              <td key={column} dir="auto">
                {row[column]?.map(renderInline)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function ItemList({ list, onTick }: Pick<MarkdownProps, 'onTick'> & { readonly list: List }) {
  const Items = list.isNumbered ? 'ol' : 'ul'
  return (
    <Items>
      {list.items.map((item, index) => (
        <ListItem key={index} item={item} onTick={onTick} />
      ))}
    </Items>
  )
}

/** The text of a task is the accessible name of its checkbox. */
function ListItem({ item, onTick }: Pick<MarkdownProps, 'onTick'> & { readonly item: Item }) {
  const id = useId()
  const { task, content, lists } = item
  return (
    <li class={task && 'task'}>
      {task && (
        <input
          type="checkbox"
          aria-labelledby={id}
          checked={task.isDone}
          disabled={onTick === undefined}
          onChange={() => onTick?.(task)}
        />
      )}
      <span id={id}>{content.map(renderInline)}</span>
      {lists.map((list, index) => (
        <ItemList key={index} list={list} onTick={onTick} />
      ))}
    </li>
  )
}

function Mention({ userId }: { readonly userId: string }) {
  const { people } = useServices()
  return (
    <span class="mention" dir="auto">
      @{people.nameOf(userId)}
    </span>
  )
}

function renderText(text: string): ComponentChild {
  const pieces = splitAtKeys(text)
  return pieces.length === 1
    ? text
    : pieces.map((piece, index) =>
        index % 2 === 1 ? <KeyLink key={`${index} ${piece}`} text={piece} /> : piece,
      )
}

function renderInline(inline: Inline): ComponentChild {
  if (typeof inline === 'string') return renderText(inline)
  switch (inline.kind) {
    case 'code':
      return <code>{inline.text}</code>
    case 'strong':
      return <strong>{inline.content.map(renderInline)}</strong>
    case 'em':
      return <em>{inline.content.map(renderInline)}</em>
    case 'del':
      return <del>{inline.content.map(renderInline)}</del>
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

type Found = Awaited<ReturnType<typeof findByKey>>

const found = new Map<string, Promise<Found>>()
/** A text can contain thousands of keys. Later ones stay plain text until the page is loaded again. */
const keysMax = 100
/** Keys are looked up one after the other, so that a long text does not delay other requests. */
let lastLookup: Promise<unknown> = Promise.resolve()

function lookUp(tracker: Tracker, key: string): Promise<Found> {
  const known = found.get(key)
  if (known !== undefined) return known
  if (found.size >= keysMax) return Promise.resolve(undefined)
  const lookup = lastLookup.then(() => findByKey(tracker, key))
  found.set(key, lookup)
  lastLookup = lookup.catch(() => found.delete(key))
  return lookup
}

/** Links the key of an assignment, with its name on hover. Other texts that look like keys stay texts. */
function KeyLink({ text }: { readonly text: string }) {
  const { configuration, tracker } = useServices()
  const [assignment, setAssignment] = useState<Found>()
  useEffect(() => {
    if (!configuration.extensions) return
    let isCurrent = true
    lookUp(tracker, text).then(
      (result) => isCurrent && setAssignment(result),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [text])
  if (assignment === undefined) return <>{text}</>
  return (
    <a href={assignmentPath(assignment.projectId, assignment.id)} title={assignment.name}>
      {text}
    </a>
  )
}
