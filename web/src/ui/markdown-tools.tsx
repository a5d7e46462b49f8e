import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { inOneLine, type MessageKey, t } from '../texts/text.ts'
import { Icon, type IconName } from './icon.tsx'
import {
  continueLine,
  type Edit,
  insertLink,
  toggleCode,
  toggleHeading,
  toggleList,
  toggleMark,
  toggleNumbers,
  toggleQuote,
  toggleTasks,
} from './markdown-text.ts'
import { logicalArrowKey } from './viewport.ts'

/**
 * The shortcuts of the Markdown tools, by the labels of the tools. Ctrl+K, which is usual for links, opens
 * the palette everywhere.
 */
export const markdownKeys = {
  Bold: ['Ctrl', 'B'],
  Italic: ['Ctrl', 'I'],
  Link: ['Ctrl', 'Shift', 'K'],
} as const

interface Tool {
  readonly label: MessageKey
  readonly icon: IconName
  edit(text: string, start: number, end: number): Edit
}

const tools: readonly Tool[] = [
  { label: 'Bold', icon: 'bold', edit: toggleMark('**') },
  { label: 'Italic', icon: 'italic', edit: toggleMark('*') },
  {
    label: 'Link',
    icon: 'link',
    // The language is not known yet when this module loads.
    edit: (text, start, end) => insertLink(t('text'))(text, start, end),
  },
  { label: 'Heading', icon: 'heading', edit: toggleHeading },
  { label: 'List', icon: 'bullets', edit: toggleList },
  { label: 'Numbered list', icon: 'numbers', edit: toggleNumbers },
  { label: 'Task list', icon: 'task', edit: toggleTasks },
  { label: 'Quote', icon: 'quote', edit: toggleQuote },
  { label: 'Code', icon: 'code', edit: toggleCode },
]

const keysOf = ({ label }: Tool): string | undefined =>
  (markdownKeys as Readonly<Record<string, readonly string[]>>)[label]?.join('+')

interface MarkdownToolsProps {
  readonly fieldId: string
  readonly isPreview: boolean
  readonly field: { readonly current: HTMLTextAreaElement | null }
  onPreview(isPreview: boolean): void
}

/** The buttons above a Markdown field. Arrow keys move between them, and Tab stops only at one of them. */
export function MarkdownTools({ fieldId, isPreview, field, onPreview }: MarkdownToolsProps) {
  const [active, setActive] = useState(0)
  const use = ({ edit }: Tool) => {
    const element = field.current
    if (element && !isPreview)
      applyEdit(element, edit(element.value, element.selectionStart, element.selectionEnd))
  }
  return (
    <div
      class="markdown-tools"
      role="toolbar"
      aria-label={t('Formatting')}
      aria-controls={fieldId}
      onKeyDown={moveFocus}
    >
      {tools.map((tool, index) => (
        <button
          key={tool.label}
          type="button"
          class="button quiet icon-only"
          aria-label={t(tool.label)}
          title={inOneLine(t(tool.label), keysOf(tool))}
          aria-keyshortcuts={keysOf(tool)?.replace('Ctrl', 'Control')}
          aria-disabled={isPreview}
          tabIndex={index === active ? 0 : -1}
          onFocus={() => setActive(index)}
          // The text field keeps the focus and its selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => use(tool)}
        >
          <Icon name={tool.icon} />
        </button>
      ))}
      <button
        type="button"
        class="button quiet markdown-preview-button"
        aria-pressed={isPreview}
        tabIndex={active === tools.length ? 0 : -1}
        onFocus={() => setActive(tools.length)}
        onClick={() => onPreview(!isPreview)}
      >
        {t('Preview')}
      </button>
    </div>
  )
}

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const next = steps[logicalArrowKey(event)]?.(
    buttons.findIndex((button) => button.matches(':focus')),
    buttons.length,
  )
  if (next === undefined) return
  event.preventDefault()
  buttons[next]?.focus()
}

/** Handles the shortcuts of the tools, and Enter in a list. */
export function handleTextKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing, currentTarget: field } = event
  if (altKey || isComposing) return
  const keys = [
    ...(ctrlKey || metaKey ? ['Ctrl'] : []),
    ...(shiftKey ? ['Shift'] : []),
    key.toUpperCase(),
  ].join('+')
  const tool = tools.find((candidate) => keysOf(candidate) === keys)
  const { value, selectionStart, selectionEnd } = field
  const edit =
    keys === 'ENTER' && selectionStart === selectionEnd
      ? continueLine(value, selectionStart)
      : tool?.edit(value, selectionStart, selectionEnd)
  if (edit === undefined) return
  event.preventDefault()
  event.stopPropagation()
  applyEdit(field, edit)
}

/** Applies an edit as if typed, so that the browser can undo it. Ignores it if the text would be too long. */
function applyEdit(field: HTMLTextAreaElement, { from, to, text, select }: Edit): void {
  const { value, maxLength } = field
  if (maxLength >= 0 && value.length - (to - from) + text.length > maxLength) return
  field.focus()
  field.setSelectionRange(from, to)
  const isInserted =
    text !== ''
      ? document.execCommand('insertText', false, text)
      : from === to || document.execCommand('delete')
  if (!isInserted) {
    field.setRangeText(text, from, to)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  field.setSelectionRange(...select)
}
