import type { Api } from '../api/api.ts'
import { loadAll } from '../api/load-all.ts'
import { faceAttributesOf } from '../api/people.ts'
import { type Services, useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { beginsWith, Combobox, type Option } from './combobox.tsx'
import { Icon } from './icon.tsx'

interface AvatarProps {
  readonly name: string
  /** Undefined if there is no person. */
  readonly id?: string
  /** True if the name is shown next to it, so that assistive technology skips it. */
  readonly isDecorative?: boolean
  /** Replaces the initials of the name. */
  readonly initials?: string
}

/** A person's initials in a circle. The name is next to it or in its label. */
const Avatar = ({ name, id, isDecorative = false, initials = initialsOf(name) }: AvatarProps) => (
  <span
    class="avatar"
    {...(id === undefined ? { 'data-color': 'none' } : faceAttributesOf(id))}
    title={name || undefined}
    {...(isDecorative || name === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
  >
    {initials}
  </span>
)

export const initialsOf = (name: string): string => {
  // Symbols and emoji make no initials.
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

/**
 * The avatar of the person with the id, or an empty one if the id is empty. It has no initials until the name
 * is known, so that nothing flashes.
 */
export function PersonAvatar({
  id,
  isDecorative = false,
}: {
  readonly id: string
  readonly isDecorative?: boolean
}) {
  const { people } = useServices()
  if (id === '') return <Avatar name={t('Unassigned')} initials="" isDecorative={isDecorative} />
  // Empty if the user may not see the person, and undefined while the name is loading.
  const name = people.findName(id)
  const face = { id, isDecorative }
  if (name === '') return <Avatar name={t('Someone you cannot see')} initials="?" {...face} />
  return <Avatar name={name ?? ''} {...face} />
}

interface PersonRowProps {
  readonly id: string
  readonly name: string
  /** A second line. */
  readonly note?: string | undefined
  readonly removeLabel: string
  onRemove(): void
}

/** A row with a person and a button that removes the person. */
export const PersonRow = ({ id, name, note, removeLabel, onRemove }: PersonRowProps) => (
  <li class="row">
    <PersonAvatar id={id} isDecorative />
    <span class="row-text">
      <bdi>{name}</bdi>
      {note && <span class="quiet-text line">{note}</span>}
    </span>
    <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </li>
)

/** Counts the people whose faces are not shown, in the shape of a face. */
export const MoreFaces = ({ count }: { readonly count: number }) => (
  <span class="avatar" data-color="gray">
    +{count}
  </span>
)

/** At most this many circles are shown. The last one counts the people who have none. */
const circlesMax = 5

interface FacesProps {
  readonly ids: readonly string[]
  /** The number of people, if `ids` has only the first ones. */
  readonly count?: number
}

/** Shows the first people as avatars, and the number of the others. */
export function Faces({ ids, count = ids.length }: FacesProps) {
  const shown = count > circlesMax ? ids.slice(0, circlesMax - 1) : ids
  return (
    <span class="faces">
      {shown.map((id) => (
        <PersonAvatar key={id} id={id} />
      ))}
      {count > shown.length && <MoreFaces count={count - shown.length} />}
    </span>
  )
}

interface PersonPickerProps {
  readonly label: string
  readonly placeholder?: string
  /** The id of the chosen person, if any. */
  readonly value?: string
  readonly id?: string
  readonly attributes?: Readonly<Record<string, string>>
  /** The project whose members come first. */
  readonly projectId?: string | undefined
  /** People who have been chosen already come last, with this note. */
  readonly chosen?: { readonly ids: readonly string[]; readonly note: string }
  /** Also offers "Unassigned", with an empty id, unless the extensions are off. */
  readonly offersUnassigned?: boolean
  onChoose(id: string): void
}

/** Finds a person by name. Members of the project come first. */
export function PersonPicker({
  placeholder,
  value = '',
  projectId,
  chosen,
  offersUnassigned = false,
  onChoose,
  ...rest
}: PersonPickerProps) {
  const services = useServices()
  const { people, session } = services
  const isAdministrator = session.person.value?.isAdministrator ?? false
  return (
    <Combobox
      {...rest}
      placeholder={placeholder ?? t('Name')}
      valueText={value === '' ? '' : people.nameOf(value)}
      find={async (text, signal) => {
        const find = offersUnassigned ? findResponsible : findPeople
        const found = await find(services, projectId, text, signal)
        const isChosen = ({ id }: Option) => chosen?.ids.includes(id) ?? false
        return [
          ...found.filter((person) => !isChosen(person)),
          ...found.filter(isChosen).map((person) => ({ ...person, note: chosen?.note })),
        ].map((person) => ({ ...person, isCurrent: person.id === value }))
      }}
      onChoose={(person) => onChoose(person.id)}
      emptyMessage={
        isAdministrator
          ? t('No one has this name. Administrators create accounts under Admin, Users.')
          : t(
              'No one found. You can find people you share a project with; ask an administrator to add others to a project of yours.',
            )
      }
    />
  )
}

/** Finds people by name, the members of the project first. */
export async function findPeople(
  { api, people }: Pick<Services, 'api' | 'people'>,
  projectId: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const members = projectId === undefined ? [] : await findMembers(api, projectId, signal)
  // Members are requested by id, because in a large organization the first results may contain none of them.
  const results = await people.search(text, signal, { first: members })
  return results.map((person) => ({
    id: person.id,
    name: person.name,
    note: noteOf(person, results, projectId === undefined || members.includes(person.id)),
    mark: <PersonAvatar id={person.id} isDecorative />,
  }))
}

/** Finds people, and also "Unassigned", with an empty id, unless the extensions are off. */
export async function findResponsible(
  services: Pick<Services, 'api' | 'configuration' | 'people'>,
  projectId: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const found = await findPeople(services, projectId, text, signal)
  const name = t('Unassigned')
  return services.configuration.extensions && beginsWith(name, text)
    ? [...found, { id: '', name, mark: <PersonAvatar id="" isDecorative /> }]
    : found
}

interface FoundPerson {
  readonly id: string
  readonly name: string
  readonly login?: string
}

/** Enough for the largest projects. Further members are found like other people. */
const memberPagesMax = 5

async function findMembers(api: Api, projectId: string, signal: AbortSignal): Promise<readonly string[]> {
  const query = { projectId, sortColumn: 'createdAt' } as const
  const { rows } = await loadAll(api, 'userProject', query, { pagesMax: memberPagesMax, signal })
  return [...new Set(rows.map(({ userId }) => userId))]
}

/** Distinguishes people of the same name, and marks those who are not members of the project. */
function noteOf(person: FoundPerson, results: readonly FoundPerson[], isMember: boolean): string {
  const isNamesake = results.some((other) => other.id !== person.id && other.name === person.name)
  const distinction = isNamesake ? (person.login ?? person.id.slice(-4)) : ''
  return inOneLine(distinction, !isMember && t('Not a member'))
}
