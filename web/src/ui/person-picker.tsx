import { useMembers } from '../data/use-members.ts'
import { Field, type FieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { Combobox, type Option } from './combobox.tsx'
import { Avatar } from './notes.tsx'

export interface PersonPickerProps {
  readonly label: string
  readonly placeholder?: string
  /** The id of the chosen person, if any. */
  readonly value?: string
  readonly id?: string
  readonly attributes?: Readonly<Record<string, string>>
  /** The project whose members come first. */
  readonly projectId?: string | undefined
  onChoose(id: string): void
}

/** Finds a person by name, among those the user may see; members of the project first. */
export function PersonPicker({ placeholder, value = '', projectId, onChoose, ...rest }: PersonPickerProps) {
  const { people, session } = useServices()
  const { ids } = useMembers(projectId)
  const isAdministrator = session.person.value?.isAdministrator ?? false
  const find = async (text: string, signal: AbortSignal) => {
    const found = await people.search(text, signal)
    return found
      .toSorted((a, b) => Number(ids.includes(b.id)) - Number(ids.includes(a.id)))
      .map(
        (person, index, all): Option => ({
          id: person.id,
          name: person.name,
          note: noteOf(person, { isMember: projectId !== undefined && ids.includes(person.id), all, index }),
          mark: <PersonAvatar id={person.id} isNamed />,
        }),
      )
  }
  return (
    <Combobox
      {...rest}
      placeholder={placeholder ?? t('Name')}
      chosen={value === '' ? '' : people.nameOf(value)}
      find={find}
      onChoose={(person) => onChoose(person.id)}
      nothing={
        isAdministrator
          ? t('No one has this name. Administrators create accounts under Admin, Users.')
          : t(
              'No one found. You can find people you share a project with; ask an administrator to add others to a project of yours.',
            )
      }
    />
  )
}

interface Found {
  readonly id: string
  readonly name: string
  readonly login?: string
}

interface Surroundings {
  readonly isMember: boolean
  readonly all: readonly Found[]
  readonly index: number
}

/** Distinguishes people of the same name, and marks members. */
function noteOf(person: Found, { isMember, all, index }: Surroundings): string {
  const isNamesake = all.some((other, at) => at !== index && other.name === person.name)
  const which = isNamesake ? (person.login ?? person.id.slice(-4)) : ''
  return inOneLine(which, isMember && t('Member'))
}

/** The picker as a field of a form. */
export function PersonField<Values extends FormValues>(
  props: FieldProps<Values> & { readonly projectId?: string | undefined },
) {
  const { form, name, label, projectId } = props
  return (
    <Field {...props}>
      {({ id, ...attributes }) => (
        <PersonPicker
          id={id}
          label={label}
          attributes={attributes}
          projectId={projectId}
          value={form.values.value[name] ?? ''}
          onChoose={(person) => form.set(name, person)}
        />
      )}
    </Field>
  )
}

/** The avatar of a person by id; blank until the name is known, so that nothing flashes. */
export function PersonAvatar({ id, isNamed = false }: { readonly id: string; readonly isNamed?: boolean }) {
  const { people } = useServices()
  const name = people.findName(id)
  const unseen = name === '' && { name: t('Someone you cannot see'), initials: '?' }
  return <Avatar name={name ?? ''} {...unseen} tint={people.tintOf(id)} isNamed={isNamed} />
}
