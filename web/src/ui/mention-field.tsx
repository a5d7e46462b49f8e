import type { ComponentProps, Ref, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useMembers } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { PersonAvatar } from './avatar.tsx'
import { type Option, Suggestions } from './combobox.tsx'
import {
  type MentionSearch,
  mentionedIn,
  mentionSearchAt,
  showMentions,
  storeMentions,
} from './mention-text.ts'

export interface MentionFieldProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onKeyDown' | 'ref'> {
  /** The text as it is stored, with the ids of those mentioned. */
  readonly value: string
  /** The project whose members are offered. */
  readonly projectId?: string | undefined
  readonly field?: Ref<HTMLTextAreaElement>
  onText(text: string): void
  onKeyDown?(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void
}

const suggestionsMax = 6

/** A text area in which @ offers the members of the project. It shows their names, and their ids are stored. */
export function MentionField({
  value,
  projectId,
  field,
  onText,
  onKeyDown,
  ...attributes
}: MentionFieldProps) {
  const { configuration } = useServices()
  const own = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const mentions = useMentions(value)
  const [search, setSearch] = useState<MentionSearch>()
  const [active, setActive] = useState(0)
  const options = useMatchingMembers(projectId, configuration.extensions ? search?.text : undefined)
  const isOpen = search !== undefined && options.length > 0
  const shown = showMentions(value, mentions.known())
  const caret = useCaret(own)
  const look = (text: string, position: number) => {
    setSearch(mentionSearchAt(text, position))
    setActive(0)
  }
  const choose = ({ id, name }: Option) => {
    const { from = 0, text = '' } = search ?? {}
    mentions.learn(name, id)
    const before = `${shown.slice(0, from)}@${name} `
    onText(storeMentions(before + shown.slice(from + 1 + text.length), mentions.known()))
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
          own.current = element
          if (field && typeof field === 'object') field.current = element
        }}
        value={shown}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
        onInput={({ currentTarget: { value: typed, selectionEnd } }) => {
          onText(storeMentions(typed, mentions.known()))
          look(typed, selectionEnd)
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
        input={own}
        label={t('Members')}
        state={{ options, active, isOpen, choose, setActive }}
      />
    </div>
  )
}

/** The people whom the text mentions, and those who were chosen since it is edited. */
function useMentions(text: string) {
  const { people } = useServices()
  const learnt = useRef(new Map<string, string>())
  return {
    known: () => new Map([...mentionedIn(text, people.findName), ...learnt.current]),
    learn: (name: string, id: string) => learnt.current.set(name, id),
  }
}

/** The members are loaded when they are first asked for. */
function useMatchingMembers(projectId: string | undefined, text: string | undefined): readonly Option[] {
  const { people } = useServices()
  const { ids } = useMembers(text === undefined ? undefined : projectId)
  if (text === undefined) return []
  const wanted = text.toLocaleLowerCase()
  return ids
    .map((id) => ({ id, name: people.findName(id) ?? '', mark: <PersonAvatar id={id} isDecorative /> }))
    .filter(({ name }) => name !== '' && name.toLocaleLowerCase().includes(wanted))
    .slice(0, suggestionsMax)
}

/** Puts the caret behind an inserted name once the field shows it. */
function useCaret(field: { readonly current: HTMLTextAreaElement | null }) {
  const wanted = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    field.current?.setSelectionRange(wanted.current, wanted.current)
    wanted.current = undefined
  })
  return {
    moveTo(position: number) {
      wanted.current = position
    },
  }
}
