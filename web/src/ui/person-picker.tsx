import type { Api } from '../api/api.ts'
import { loadAll } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { PersonAvatar } from './avatar.tsx'
import { beginsWith, Combobox, type Option } from './combobox.tsx'

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

/** Finds a person by name, among those the user may see; members of the project first. */
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
