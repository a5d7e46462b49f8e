import { signal } from '@preact/signals'
import type { RefObject, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { Form, useForm } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { MarkdownField } from '../ui/markdown-field.tsx'
import { useFileInsertion } from './markdown-changes.ts'

/** The comment that was sent last, until the stream has scrolled to it. */
export const sentCommentId = signal<string>()

/**
 * The form of the next comment, at the foot of the panel. It is one line until it has the focus or a text. This
 * requires the extensions.
 */
export function CommentComposer({ assignment }: { readonly assignment: RecordOf<'assignment'> }) {
  const { id: assignmentId, projectId } = assignment
  const { api } = useServices()
  const element = useRef<HTMLDivElement>(null)
  const focus = useLastingFocus(element)
  useScrolledEnd(element)
  useKeyboardSpace(element)
  const create = async (text: string) => {
    const { id } = await api.create('comment', { assignmentId, text })
    sentCommentId.value = id
    // The button that sent it is hidden now, and takes no focus with it.
    focus.setWithin(document.activeElement instanceof HTMLTextAreaElement)
  }
  return (
    <div ref={element} class={`composer ${focus.isWithin ? 'grown' : ''}`} {...focus.handlers}>
      <CommentForm
        assignmentId={assignmentId}
        projectId={projectId}
        draft={`comment-on-${assignmentId}`}
        label={t('Write a comment')}
        submitLabel={t('Comment')}
        initial=""
        onSubmit={create}
      />
    </div>
  )
}

type ElementRef = RefObject<HTMLElement | null>

/**
 * Returns whether the focus is in an element. When it leaves, this changes only after the click or key that
 * moved it: otherwise, the panel would move under the pointer, and the click would be lost.
 */
function useLastingFocus(element: ElementRef) {
  const [isWithin, setWithin] = useState(false)
  const waiting = useRef<AbortController>(null)
  useEffect(() => () => waiting.current?.abort(), [])
  const onFocusIn = () => {
    waiting.current?.abort()
    setWithin(true)
  }
  const onFocusOut = () => {
    const controller = new AbortController()
    waiting.current = controller
    const leave = ({ target }: Event) => {
      if (!(target instanceof Node && element.current?.contains(target))) setWithin(false)
    }
    for (const name of ['click', 'keyup'])
      addEventListener(name, leave, { once: true, signal: controller.signal })
  }
  return { isWithin, setWithin, handlers: { onFocusIn, onFocusOut } }
}

const panelOf = (element: ElementRef) => element.current?.closest<HTMLElement>('.panel')

/** Keeps the end of the panel in view while the composer below it grows, if the user has scrolled there. */
function useScrolledEnd(element: ElementRef): void {
  useEffect(() => {
    const scroll = panelOf(element)?.querySelector('.panel-scroll')
    if (!scroll) return
    let isAtEnd = false
    const onScroll = () => {
      isAtEnd = scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight - 1
    }
    const observer = new ResizeObserver(() => {
      if (isAtEnd) scroll.scrollTo(0, scroll.scrollHeight)
    })
    observer.observe(scroll)
    scroll.addEventListener('scroll', onScroll)
    return () => {
      observer.disconnect()
      scroll.removeEventListener('scroll', onScroll)
    }
  }, [element])
}

/** Ends the panel above the keyboard of a phone, which covers the window without making it smaller. */
function useKeyboardSpace(element: ElementRef): void {
  useEffect(() => {
    const panel = panelOf(element)
    const { visualViewport } = window
    if (!panel || !visualViewport) return
    const update = ({ type }: Event) => {
      const { scale, height, offsetTop } = visualViewport
      // A zoomed window shows a part of the page, too.
      const covered = scale > 1 ? 0 : Math.max(0, innerHeight - height - offsetTop)
      panel.style.setProperty('--keyboard', `${Math.round(covered)}px`)
      const { activeElement } = document
      if (type === 'resize' && panel.contains(activeElement))
        activeElement?.scrollIntoView({ block: 'nearest' })
    }
    for (const name of ['resize', 'scroll']) visualViewport.addEventListener(name, update)
    return () => {
      for (const name of ['resize', 'scroll']) visualViewport.removeEventListener(name, update)
    }
  }, [element])
}

interface CommentFormProps {
  readonly assignmentId: string
  readonly projectId: string
  readonly draft: string
  readonly label: string
  readonly submitLabel: string
  readonly initial: string
  onSubmit(text: string): Promise<void>
  onCancel?(): void
}

/** Writes or edits a comment in Markdown. Ctrl+Enter sends it. The draft survives closing the panel. */
export function CommentForm(props: CommentFormProps) {
  const { assignmentId, projectId, draft, label, submitLabel, initial, onSubmit, onCancel } = props
  const insertion = useFileInsertion(assignmentId)
  const form = useForm({ draft, initial: { text: initial }, submit: ({ text }) => onSubmit(text) })
  const { text } = form.values.value
  const problem = form.errors.value.text?.join(' ')
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape' || onCancel === undefined) return
    event.preventDefault()
    onCancel()
  }
  return (
    <Form
      form={form}
      submitLabel={submitLabel}
      isIdle={!form.isChanged.value && onCancel === undefined}
      onCancel={onCancel}
      onDone={form.discard}
    >
      <div class="field">
        <MarkdownField
          {...insertion}
          projectId={projectId}
          class="input"
          dir="auto"
          aria-label={label}
          aria-invalid={problem ? 'true' : undefined}
          placeholder={label}
          rows={Math.min(12, Math.max(2, text.split('\n').length))}
          maxLength={limits.text}
          value={text}
          onText={(next) => form.set('text', next)}
          onKeyDown={onKeyDown}
        />
        {problem && (
          <p class="field-errors" role="alert">
            {problem}
          </p>
        )}
      </div>
    </Form>
  )
}
