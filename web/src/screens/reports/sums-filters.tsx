import { catalogQuery, organizationQuery, useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PersonPicker } from '../../ui/people.tsx'
import { type FilterName, filterNames, groupings, presets, queryOfPreset, type SumsQuery } from './sums.ts'

interface SumsFiltersProps {
  readonly sumsQuery: SumsQuery
  readonly preset: string
}

/** Chooses the period, the grouping, and the filters of the sums. */
export function SumsFilters({ sumsQuery, preset }: SumsFiltersProps) {
  const { router } = useServices()
  const { by, thenBy, period, filters } = sumsQuery
  const setQuery = (values: Readonly<Record<string, string>>) => router.setQuery(values)
  const entities = groupings.filter(({ isTime }) => !isTime)
  const isFiltered = filterNames.some((name) => filters[name] !== '')
  return (
    <search class="filters sums-filters" aria-label={t('Filters')}>
      <ChoiceFilter
        label={t('Period')}
        value={preset}
        choices={[
          ...presets.map(({ name, label }) => ({ id: name, name: t(label) })),
          { id: '', name: t('Custom period') },
        ]}
        onChoose={(name) => setQuery(name === '' ? { period: '', ...period } : queryOfPreset(name))}
      />
      {preset === '' && (
        <>
          <DayFilter
            label={t('From')}
            value={period.from}
            onChange={(from) => setQuery({ ...period, from })}
          />
          <DayFilter label={t('To')} value={period.to} onChange={(to) => setQuery({ ...period, to })} />
        </>
      )}
      <ChoiceFilter
        label={t('By')}
        value={by}
        choices={entities.map(({ name, label }) => ({ id: name, name: t(label) }))}
        onChoose={(name) => setQuery({ by: name === 'project' ? '' : name })}
      />
      <ChoiceFilter
        label={t('Then by')}
        value={thenBy ?? ''}
        choices={[
          { id: '', name: t('Nothing') },
          ...groupings
            .filter(({ name }) => name !== by)
            .map(({ name, label }) => ({ id: name, name: t(label) })),
        ]}
        onChoose={(name) => setQuery({ second: name })}
      />
      <CatalogFilters filters={filters} onChange={(name, id) => setQuery({ [name]: id })} />
      <div class="filter-person">
        <PersonPicker
          label={t('Person')}
          placeholder={t('Anyone')}
          value={filters.userId}
          onChoose={(userId) => setQuery({ userId })}
        />
      </div>
      {thenBy === undefined && (
        <label class="filter-day">
          <input
            type="checkbox"
            checked={router.address.value.searchParams.get('all') === 'yes'}
            onChange={(event) => setQuery({ all: event.currentTarget.checked ? 'yes' : '' })}
          />
          {t('Include those without hours in this period')}
        </label>
      )}
      {isFiltered && (
        <button
          type="button"
          class="button quiet"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, ''])))}
        >
          <Icon name="close" />
          <span>{t('Clear filters')}</span>
        </button>
      )}
    </search>
  )
}

interface CatalogFiltersProps {
  readonly filters: SumsQuery['filters']
  onChange(name: FilterName, id: string): void
}

function CatalogFilters({ filters, onChange }: CatalogFiltersProps) {
  const { session } = useServices()
  const projects = useListing('project', catalogQuery)
  const isAdministrator = session.person.value?.isAdministrator === true
  const organizations = useListing(
    'organization',
    isAdministrator ? catalogQuery : organizationQuery(projects.rows),
  )
  const types = useListing('assignmentType', catalogQuery)
  const catalogs = [
    { name: 'projectId', label: t('Project'), all: t('All projects'), rows: projects.rows },
    {
      name: 'organizationId',
      label: t('Organization'),
      all: t('All organizations'),
      rows: organizations.rows,
    },
    { name: 'assignmentTypeId', label: t('Type'), all: t('All types'), rows: types.rows },
  ] as const
  return catalogs.map(({ name, label, all, rows }) => (
    <select
      key={name}
      class="input filter-person"
      aria-label={label}
      value={filters[name]}
      onChange={(event) => onChange(name, event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {rows.map((row) => (
        <option key={row.id} value={row.id}>
          {row.name}
        </option>
      ))}
    </select>
  ))
}

interface ChoiceFilterProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  onChoose(id: string): void
}

const ChoiceFilter = ({ label, value, choices, onChoose }: ChoiceFilterProps) => (
  <span class="filter-day">
    <span aria-hidden="true">{label}</span>
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
    >
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  </span>
)

interface DayFilterProps {
  readonly label: string
  readonly value: string
  onChange(day: string): void
}

const DayFilter = ({ label, value, onChange }: DayFilterProps) => (
  <span class="filter-day">
    <span aria-hidden="true">{label}</span>
    <DayInput label={label} hasVisibleLabel={false} value={value} onChange={onChange} />
  </span>
)
