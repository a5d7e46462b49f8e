import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PersonPicker } from '../../ui/person-picker.tsx'
import { presets, queryOfPreset } from './periods.ts'
import { type FilterName, filterNames, groupings, type Wanted } from './sums.ts'

export interface SumsFiltersProps {
  readonly wanted: Wanted
  readonly preset: string
}

/** The period, the grouping, and the filters of the sums. */
export function SumsFilters({ wanted, preset }: SumsFiltersProps) {
  const { router } = useServices()
  const { by, second, period, filters } = wanted
  const set = (values: Readonly<Record<string, string>>) => router.setQuery(values)
  const entities = groupings.filter(({ isTime }) => !isTime)
  const isAny = filterNames.some((name) => filters[name] !== '')
  return (
    <search class="filters sums-filters" aria-label={t('Filters')}>
      <Choice
        label={t('Period')}
        value={preset}
        choices={[
          ...presets.map(({ name, label }) => ({ id: name, name: t(label) })),
          { id: '', name: t('Other days') },
        ]}
        onChoose={(name) => set(name === '' ? { period: '', ...period } : queryOfPreset(name))}
      />
      {preset === '' && (
        <>
          <Day label={t('From')} value={period.from} onChange={(from) => set({ ...period, from })} />
          <Day label={t('To')} value={period.to} onChange={(to) => set({ ...period, to })} />
        </>
      )}
      <Choice
        label={t('By')}
        value={by}
        choices={entities.map(({ name, label }) => ({ id: name, name: t(label) }))}
        onChoose={(name) => set({ by: name === 'project' ? '' : name })}
      />
      <Choice
        label={t('and by')}
        value={second ?? ''}
        choices={[
          { id: '', name: t('nothing else') },
          ...groupings
            .filter(({ name }) => name !== by)
            .map(({ name, label }) => ({ id: name, name: t(label) })),
        ]}
        onChoose={(name) => set({ second: name })}
      />
      <Catalogs filters={filters} onChange={(name, id) => set({ [name]: id })} />
      <div class="filter-person">
        <PersonPicker
          label={t('Person')}
          placeholder={t('Anyone')}
          value={filters.userId}
          onChoose={(userId) => set({ userId })}
        />
      </div>
      {second === undefined && (
        <label class="filter-day">
          <input
            type="checkbox"
            checked={router.address.value.searchParams.get('all') === 'yes'}
            onChange={(event) => set({ all: event.currentTarget.checked ? 'yes' : '' })}
          />
          {t('Also without hours in this period')}
        </label>
      )}
      {isAny && (
        <button
          type="button"
          class="button quiet"
          onClick={() => set(Object.fromEntries(filterNames.map((name) => [name, ''])))}
        >
          <Icon name="close" />
          <span>{t('Clear filters')}</span>
        </button>
      )}
    </search>
  )
}

interface CatalogsProps {
  readonly filters: Wanted['filters']
  onChange(name: FilterName, id: string): void
}

function Catalogs({ filters, onChange }: CatalogsProps) {
  const projects = useListing('project', catalogQuery)
  const organizations = useListing('organization', catalogQuery)
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

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  onChoose(id: string): void
}

const Choice = ({ label, value, choices, onChoose }: ChoiceProps) => (
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

interface DayProps {
  readonly label: string
  readonly value: string
  onChange(day: string): void
}

const Day = ({ label, value, onChange }: DayProps) => (
  <span class="filter-day">
    <span aria-hidden="true">{label}</span>
    <DayInput label={label} isNamed={false} value={value} onChange={onChange} />
  </span>
)
