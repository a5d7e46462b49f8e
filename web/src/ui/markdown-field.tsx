import type { ComponentProps, Ref, RefObject, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useMembers } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { type Option, Suggestions } from './combobox.tsx'
import { useLater } from './lazy.tsx'
import { Markdown } from './markdown.tsx'
import {
  type MentionSearch,
  mentionedIn,
  mentionSearchAt,
  showMentions,
  storeMentions,
} from './mention-text.ts'
import { PersonAvatar } from './people.tsx'

interface MarkdownFieldProps extends Omit<MentionFieldProps, 'field' | 'onKeyDown'> {
  readonly field?: RefObject<HTMLTextAreaElement | null>
  /** Called for keys in the text, the tools and the preview. */
  onKeyDown?(event: TargetedKeyboardEvent<HTMLElement>): void
}

/**
 * A text area for Markdown with tools and a preview. Lists continue on Enter. The tools follow the text, so that Shift+Tab
 * leads from it to the field before it, wherever they are shown.
 */
export function MarkdownField({ field, id, onKeyDown, ...props }: MarkdownFieldProps) {
  const ownField = useRef<HTMLTextAreaElement>(null)
  const element = field ?? ownField
  const ownId = useId()
  const fieldId = id?.toString() ?? ownId
  const [isPreview, setPreview] = useState(false)
  // The field can be used without the tools until they are loaded.
  const tools = useLater(true, () => import('./markdown-tools.tsx'))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls within
    <div
      class={`markdown-field ${props.value === '' ? 'is-empty' : ''} ${props['aria-invalid'] ? 'is-invalid' : ''}`}
      onKeyDown={onKeyDown}
    >
      <div hidden={isPreview}>
        <MentionField {...props} id={fieldId} field={element} onKeyDown={tools?.handleTextKey} />
      </div>
      {isPreview && (
        <section class="markdown-preview" dir="auto" aria-label={t('Preview')}>
          {props.value.trim() === '' ? (
            <p class="quiet-text">{t('Nothing to show yet.')}</p>
          ) : (
            <Markdown text={props.value} />
          )}
        </section>
      )}
      {tools ? (
        <tools.MarkdownTools fieldId={fieldId} field={element} isPreview={isPreview} onPreview={setPreview} />
      ) : (
        <div class="markdown-tools" />
      )}
    </div>
  )
}

interface MentionFieldProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onKeyDown' | 'ref'> {
  /** The text as it is stored, with the ids of the people it mentions. */
  readonly value: string
  /** The project whose members are offered. */
  readonly projectId?: string | undefined
  readonly field?: Ref<HTMLTextAreaElement>
  onText(text: string): void
  onKeyDown?: ((event: TargetedKeyboardEvent<HTMLTextAreaElement>) => void) | undefined
}

const suggestionsMax = 6

/**
 * A text area in which @ offers the members of the project. It shows their names, and their ids are stored.
 */
function MentionField({ value, projectId, field, onText, onKeyDown, ...attributes }: MentionFieldProps) {
  const { configuration } = useServices()
  const textarea = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const mentions = useMentions(value)
  const [search, setSearch] = useState<MentionSearch>()
  const [active, setActive] = useState(0)
  const options = useMatchingMembers(projectId, configuration.extensions ? search?.text : undefined)
  const isOpen = search !== undefined && options.length > 0
  const shown = showMentions(value, mentions.all())
  const caret = useCaret(textarea)
  const searchAt = (text: string, position: number) => {
    setSearch(mentionSearchAt(text, position))
    setActive(0)
  }
  const choose = ({ id, name }: Option) => {
    const { from = 0, text = '' } = search ?? {}
    mentions.add(name, id)
    const before = `${shown.slice(0, from)}@${name} `
    onText(storeMentions(before + shown.slice(from + 1 + text.length), mentions.all()))
    caret.moveTo(before.length)
    setSearch(undefined)
  }
  const chooseActive = () => choose(options[active] ?? { id: '', name: '' })
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setActive(Math.min(active + 1, options.length - 1)),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: chooseActive,
    Tab: chooseActive,
    Escape: () => setSearch(undefined),
  }
  return (
    <div class="combobox">
      <textarea
        {...attributes}
        ref={(element) => {
          textarea.current = element
          if (field && typeof field === 'object') field.current = element
        }}
        value={shown}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
        onInput={({ currentTarget: { value: typed, selectionEnd } }) => {
          onText(storeMentions(typed, mentions.all()))
          searchAt(typed, selectionEnd)
        }}
        onKeyDown={(event) => {
          const run = isOpen ? keys[event.key] : undefined
          if (run === undefined || event.ctrlKey || event.metaKey) return onKeyDown?.(event)
          event.preventDefault()
          event.stopPropagation()
          run()
        }}
        onBlur={() => setSearch(undefined)}
      />
      <Suggestions
        id={listId}
        input={textarea}
        label={t('Members')}
        state={{ options, active, isOpen, choose, setActive }}
      />
    </div>
  )
}

/** Maps names to ids, of people whom the text mentions and of people who were chosen while it was edited. */
function useMentions(text: string) {
  const { people } = useServices()
  const chosen = useRef(new Map<string, string>())
  return {
    all: () => new Map([...mentionedIn(text, people.findName), ...chosen.current]),
    add: (name: string, id: string) => chosen.current.set(name, id),
  }
}

/**
 * Returns the members whose names contain the text. They are loaded when there is a text for the first time.
 */
function useMatchingMembers(projectId: string | undefined, text: string | undefined): readonly Option[] {
  const { people } = useServices()
  const { ids } = useMembers(text === undefined ? undefined : projectId)
  if (text === undefined) return []
  const search = text.toLocaleLowerCase()
  return ids
    .map((id) => ({ id, name: people.findName(id) ?? '', mark: <PersonAvatar id={id} isDecorative /> }))
    .filter(({ name }) => name !== '' && name.toLocaleLowerCase().includes(search))
    .slice(0, suggestionsMax)
}

/** Puts the caret behind an inserted name once the field shows it. */
function useCaret(field: { readonly current: HTMLTextAreaElement | null }) {
  const target = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (target.current === undefined) return
    field.current?.setSelectionRange(target.current, target.current)
    target.current = undefined
  })
  return {
    moveTo(position: number) {
      target.current = position
    },
  }
}
