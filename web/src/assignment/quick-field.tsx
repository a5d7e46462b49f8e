import type { ComponentChildren, RefObject } from 'preact'
import { useId, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { type Label, labelQuery } from '../data/project-links.ts'
import { useAllRows } from '../data/use-listing.ts'
import { useMembers } from '../data/use-members.ts'
import type { ControlAttributes } from '../forms/field.tsx'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatDay } from '../time/days.ts'
import { formatHours } from '../time/hours.ts'
import { type Option, Suggestions } from '../ui/combobox.tsx'
import { Icon } from '../ui/icon.tsx'
import { PriorityShape } from '../ui/marks.tsx'
import { type MentionSearch, mentionSearchAt } from '../ui/mention-text.ts'
import { PersonAvatar } from '../ui/people.tsx'
import { priorityName } from './priority.ts'
import { parseQuickText, type QuickText, type QuickToken, type Vocabulary } from './quick-tokens.ts'

interface QuickFieldProps {
  readonly field: RefObject<HTMLInputElement | null>
  /** Connects the field with the label and the messages of a form. */
  readonly attributes?: ControlAttributes
  /** Names the field outside of a form. */
  readonly label?: string
  readonly placeholder: string
  readonly text: string
  /** The people and labels that @ and # offer; empty without the extensions. */
  readonly vocabulary: Omit<Vocabulary, 'labels'> & { readonly labels: readonly Label[] }
  onText(text: string): void
  onPaste?(event: ClipboardEvent): void
  onBlur?(): void
}

const suggestionsMax = 6

/** The name of a new assignment, in which @ offers the members of the project, and # its labels. */
export function QuickField(props: QuickFieldProps) {
  const { field, attributes, label, placeholder, text, vocabulary, onText, onPaste, onBlur } = props
  const listId = useId()
  const [search, setSearch] = useState<(MentionSearch & { readonly mark: '@' | '#' }) | undefined>()
  const [active, setActive] = useState(0)
  const options = optionsFor(search, vocabulary)
  const isOpen = options.length > 0
  const updateSearch = (typed: string, caret: number) => {
    const [person, tag] = [mentionSearchAt(typed, caret), mentionSearchAt(typed, caret, '#')]
    // The user is typing after the later mark.
    const isTag = tag !== undefined && tag.from > (person?.from ?? -1)
    setSearch(isTag ? { ...tag, mark: '#' } : person && { ...person, mark: '@' })
    setActive(0)
  }
  const choose = ({ name }: Option) => {
    if (search === undefined) return
    onText(
      `${text.slice(0, search.from)}${search.mark}${name} ${text.slice(search.from + 1 + search.text.length)}`,
    )
    setSearch(undefined)
  }
  const chooseActive = () => options[active] && choose(options[active])
  const keys: Readonly<Record<string, () => unknown>> = {
    ArrowDown: () => setActive(Math.min(active + 1, options.length - 1)),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: chooseActive,
    Tab: chooseActive,
    Escape: () => setSearch(undefined),
  }
  return (
    <div class="combobox">
      <input
        {...attributes}
        ref={field}
        class="input"
        name="name"
        dir="auto"
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
        placeholder={placeholder}
        maxLength={limits.name}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget: { value, selectionEnd } }) => {
          onText(value)
          updateSearch(value, selectionEnd ?? value.length)
        }}
        onKeyDown={(event) => {
          const run = isOpen ? keys[event.key] : undefined
          if (run === undefined) return
          event.preventDefault()
          event.stopPropagation()
          run()
        }}
        onPaste={onPaste}
        onBlur={() => {
          setSearch(undefined)
          onBlur?.()
        }}
      />
      <Suggestions
        id={listId}
        input={field}
        label={t('Suggestions')}
        state={{ options, active, isOpen, choose, setActive }}
      />
    </div>
  )
}

/**
 * Returns the options for @ or #. A name that is typed completely is not offered, so Enter adds the
 * assignment.
 */
function optionsFor(
  search: (MentionSearch & { readonly mark: '@' | '#' }) | undefined,
  { people, labels }: QuickFieldProps['vocabulary'],
): readonly Option[] {
  if (search === undefined) return []
  const wanted = search.text.toLocaleLowerCase()
  const all: readonly Option[] =
    search.mark === '@'
      ? people.map(({ id, name }) => ({ id, name, mark: <PersonAvatar id={id} isDecorative /> }))
      : labels.map(({ id, name, color }) => ({
          id,
          name,
          mark: <span class="label-dot" data-color={color} />,
        }))
  const found = all.filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
  const isComplete = found.length === 1 && found[0]?.name.toLocaleLowerCase() === wanted
  return isComplete ? [] : found.slice(0, suggestionsMax)
}

interface TokenChipsProps {
  readonly tokens: readonly QuickToken[]
  readonly labels: readonly Label[]
  onKeep(source: string): void
}

/** Shows the values that the name sets. Each of them can be turned back into text. */
export function TokenChips({ tokens, labels, onKeep }: TokenChipsProps) {
  const { people } = useServices()
  if (tokens.length === 0) return null
  const contentOf = (token: QuickToken): { readonly color?: string; readonly content: ComponentChildren } => {
    switch (token.kind) {
      case 'person':
        return { content: [<PersonAvatar key="face" id={token.id} isDecorative />, people.nameOf(token.id)] }
      case 'label': {
        const label = labels.find(({ id }) => id === token.id)
        return { ...(label && { color: label.color }), content: label?.name }
      }
      case 'priority':
        return {
          content: [<PriorityShape key="shape" priority={token.priority} />, priorityName(token.priority)],
        }
      case 'hours':
        return { content: [<Icon key="icon" name="hourglass" />, formatHours(token.hours)] }
      case 'end':
        return {
          content: [<Icon key="icon" name="calendar" />, t('Ends {day}', { day: formatDay(token.day) })],
        }
    }
  }
  return (
    <div class="labels quick-tokens">
      {tokens.map((token) => {
        const { color, content } = contentOf(token)
        return (
          <span key={token.source} class="label-chip removable" data-color={color}>
            {content}
            <button
              type="button"
              class="label-remove"
              aria-label={t('Keep {text} as text', { text: token.source })}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onKeep(token.source)}
            >
              <Icon name="close" />
            </button>
          </span>
        )
      })}
    </div>
  )
}

/** Parses tokens for the people and labels of the project. Without the extensions, a name has no tokens. */
export function useTokens(projectId: string) {
  const { configuration, people } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const { ids } = useMembers(scope)
  const labels = useAllRows('label', scope === undefined ? undefined : labelQuery(scope)).rows
  /** The tokens that the user has turned back into text. */
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const members = ids.flatMap((id) => {
    const name = people.findName(id)
    return name === undefined ? [] : [{ id, name }]
  })
  const vocabulary = { people: members, labels }
  return {
    vocabulary,
    parse: (text: string): QuickText =>
      scope === undefined ? { name: text, tokens: [] } : parseQuickText(text, vocabulary, kept),
    keep: (source: string) => setKept(new Set([...kept, source])),
    reset: () => kept.size > 0 && setKept(new Set()),
  }
}
