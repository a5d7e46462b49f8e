import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { Field, type FieldProps } from '../forms/field.tsx'
import { TextField, type TextFieldProps } from '../forms/fields.tsx'
import type { FormValues } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { Combobox, type Option } from './combobox.tsx'
import { DayInput } from './day-input.tsx'
import { Icon } from './icon.tsx'
import { MarkdownField } from './markdown-field.tsx'

/** The value of the field for an organization that is created together with the record of the form. */
export const newOrganizationId = 'new'

/**
 * Returns the query of the organizations of some projects, or undefined without projects. Every account may
 * read all organizations, but screens show only organizations of projects that the user can see.
 */
export function organizationQuery(projects: readonly RecordOf<'project'>[]) {
  const ids = [...new Set(projects.map(({ organizationId }) => organizationId))].sort().slice(0, limits.ids)
  if (ids.length === 0) return undefined
  return { ids: ids.join(','), sortColumn: 'name', pageSize: limits.ids } as const
}

/** Users type more to find other organizations. */
const suggestionsMax = 20

type OrganizationFieldProps<Values extends FormValues> = Omit<FieldProps<Values>, 'name' | 'label'> & {
  /** Lets administrators create an organization, with the typed text as its name. */
  onNew?(name: string): void
}

/**
 * Finds an organization by name. Administrators see all organizations. Other users see the organizations of
 * their projects, and find others only by the full name.
 */
export function OrganizationField<Values extends FormValues & { readonly organizationId: string }>({
  onNew,
  ...props
}: OrganizationFieldProps<Values>) {
  const { api, session } = useServices()
  const { form } = props
  const isAdministrator = session.person.value?.isAdministrator === true
  const projects = useListing('project', isAdministrator ? undefined : catalogQuery)
  const value = form.values.value.organizationId
  const isNew = value === newOrganizationId
  const [chosen, setChosen] = useState<Option>()
  const stored = useListing('organization', value === '' || isNew ? undefined : { ids: value })
  const nameOf = (id: string): string =>
    isNew
      ? t('New organization…')
      : ([...stored.rows, chosen].find((organization) => organization?.id === id)?.name ?? '')
  const find = async (typed: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const search = typed.trim()
    const list = async (query: Parameters<typeof api.list<'organization'>>[1]) =>
      (await api.list('organization', { search, ...query, sortColumn: 'name' }, signal)).data
    if (isAdministrator) {
      const found = await list({ pageSize: suggestionsMax })
      return onNew ? [...found, { id: newOrganizationId, name: t('New organization…'), note: search }] : found
    }
    // The list may be opened before the page has loaded the projects.
    const queryOfProjectOrganizations = organizationQuery(
      projects.isLoading ? (await api.list('project', catalogQuery, signal)).data : projects.rows,
    )
    const [ofProjects, matches] = await Promise.all([
      queryOfProjectOrganizations === undefined ? [] : list(queryOfProjectOrganizations),
      search === '' ? [] : list({ pageSize: limits.pageSize }),
    ])
    const exactMatches = matches.filter(
      ({ name }) => name.localeCompare(search, undefined, { sensitivity: 'base' }) === 0,
    )
    return [...ofProjects, ...exactMatches.filter(({ id }) => !ofProjects.some((other) => other.id === id))]
  }
  const choose = (option: Option) => {
    setChosen(option)
    form.set('organizationId', option.id)
    // The note of this option is the typed name.
    if (option.id === newOrganizationId) onNew?.(option.note ?? '')
  }
  return (
    <Field {...props} name="organizationId" label={t('Organization')}>
      {({ id, ...attributes }) => (
        <Combobox
          id={id}
          label={t('Organization')}
          attributes={attributes}
          placeholder={t('Choose…')}
          valueText={nameOf(value)}
          find={find}
          onChoose={choose}
          onLeave={form.waitFor}
          emptyMessage={
            isAdministrator
              ? t('Nothing found.')
              : t('No organization of your projects matches. Type the full name, or ask an administrator.')
          }
        />
      )}
    </Field>
  )
}

/** The description of a record, in Markdown. */
export function DescriptionTextField<Values extends FormValues & { readonly description: string }>({
  projectId,
  ...props
}: Omit<FieldProps<Values>, 'name' | 'label'> & { readonly projectId?: string }) {
  const { form } = props
  return (
    <Field {...props} name="description" label={t('Description')} isWide>
      {(attributes) => (
        <MarkdownField
          {...attributes}
          class="input"
          dir="auto"
          name="description"
          rows={3}
          placeholder={props.isLabelHidden ? t('Description') : undefined}
          projectId={projectId}
          maxLength={limits.description}
          value={form.values.value.description}
          onText={(text) => form.set('description', text)}
        />
      )}
    </Field>
  )
}

/** Mirrors the password policy in src/model/field-kinds.ts, which the server enforces. */
const passwordRules: readonly (readonly [isMet: (password: string) => boolean, text: MessageKey])[] = [
  [hasLength, '{least} to {most} characters'],
  [(password) => /\p{Ll}/u.test(password), 'a lower-case letter'],
  [(password) => /\p{Lu}/u.test(password), 'an upper-case letter'],
  [(password) => /\p{Nd}/u.test(password), 'a digit'],
  [(password) => /[^\p{Ll}\p{Lu}\p{Nd}]/u.test(password), 'another character, such as a hyphen'],
]

function hasLength(password: string): boolean {
  const { length } = [...password]
  return length >= limits.passwordMin && length <= limits.password
}

/** A new password with its requirements, checked while it is typed. */
export function NewPasswordField<Values extends FormValues>(props: TextFieldProps<Values>) {
  const password = props.form.values.value[props.name] ?? ''
  return (
    <div class="new-password">
      <TextField {...props} type="password" autocomplete="new-password" />
      <ul class="password-rules" aria-label={t('Password requirements')}>
        {passwordRules.map(([isMet, text]) => (
          <li key={text} class={isMet(password) ? 'met' : ''}>
            <Icon name={isMet(password) ? 'check' : 'dot'} />
            {t(text, { least: limits.passwordMin, most: limits.password })}
            <span class="visually-hidden">{isMet(password) ? t(', met') : t(', missing')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

export function DayField<Values extends FormValues>(props: FieldProps<Values>) {
  const { form, name, label } = props
  return (
    <Field {...props}>
      {(attributes) => (
        <DayInput
          attributes={{ ...attributes }}
          label={label}
          value={form.values.value[name] ?? ''}
          onChange={(day) => form.set(name, day)}
        />
      )}
    </Field>
  )
}
