import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { t, tx } from '../../texts/text.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { organizationQuery } from '../../ui/form-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PersonPicker } from '../../ui/people.tsx'
import { Popover } from '../../ui/view-controls.tsx'
import { type FilterName, filterNames, groupings, presets, queryOfPreset, type SumsQuery } from './sums.ts'

interface SumsFiltersProps {
  readonly sumsQuery: SumsQuery
  readonly preset: string
  /** The first and the last day of the period. Print shows them for all periods. */
  readonly periodText: string
}

/** Chooses the period and the grouping of the sums; the filters are behind a button, as on a board. */
export function SumsFilters({ sumsQuery, preset, periodText }: SumsFiltersProps) {
  const { router } = useServices()
  const { by, thenBy, period, filters } = sumsQuery
  const setQuery = (values: Readonly<Record<string, string>>) => router.setQuery(values)
  const entities = groupings.filter(({ isTime }) => !isTime)
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
      <span class="period-shown" hidden={preset === ''}>
        {periodText}
      </span>
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
      <FilterLayer filters={filters} hasSwitch={thenBy === undefined} />
    </search>
  )
}

interface FilterLayerProps {
  readonly filters: SumsQuery['filters']
  /** Whether the rows without hours can be included. */
  readonly hasSwitch: boolean
}

/** A button that opens the less common filters, and a chip for each one that is set. */
function FilterLayer({ filters, hasSwitch }: FilterLayerProps) {
  const { people, router } = useServices()
  const catalogs = useFilterCatalogs()
  const includesAll = hasSwitch && router.address.value.searchParams.get('all') === 'yes'
  const nameOf = (rows: readonly Named[], id: string) => rows.find((row) => row.id === id)?.name ?? '…'
  const chips = [
    ...catalogs.map(({ name, label, rows }) => ({ name, label, text: nameOf(rows, filters[name]) })),
    { name: 'userId' as const, label: t('Person'), text: filters.userId && people.nameOf(filters.userId) },
  ].filter(({ name }) => filters[name] !== '')
  return (
    <>
      <Popover
        label={t('Filter')}
        button={
          <>
            <Icon name="filter" />
            <span>{t('Filter')}</span>
          </>
        }
      >
        <div class="sums-layer">
          {catalogs.map((catalog) => (
            <CatalogFilter key={catalog.name} {...catalog} value={filters[catalog.name]} />
          ))}
          <div class="field">
            <span class="sums-label" aria-hidden="true">
              {t('Person')}
            </span>
            <PersonPicker
              label={t('Person')}
              placeholder={t('Anyone')}
              value={filters.userId}
              onChoose={(userId) => router.setQuery({ userId })}
            />
          </div>
          {hasSwitch && (
            <label class="filter-day">
              <input
                type="checkbox"
                checked={includesAll}
                onChange={(event) => router.setQuery({ all: event.currentTarget.checked ? 'yes' : '' })}
              />
              {t('Include those without hours in this period')}
            </label>
          )}
        </div>
      </Popover>
      {chips.map((chip) => (
        <FilterChip key={chip.name} {...chip} onRemove={() => router.setQuery({ [chip.name]: '' })} />
      ))}
      {includesAll && (
        <FilterChip
          label={t('Include those without hours in this period')}
          onRemove={() => router.setQuery({ all: '' })}
        />
      )}
      {chips.length > 0 && (
        <button
          type="button"
          class="button quiet"
          onClick={() => router.setQuery(Object.fromEntries(filterNames.map((name) => [name, ''])))}
        >
          {t('Clear filters')}
        </button>
      )}
    </>
  )
}

interface FilterChipProps {
  readonly label: string
  readonly text?: string
  onRemove(): void
}

const FilterChip = ({ label, text, onRemove }: FilterChipProps) => (
  <span class="filter-chip">
    <span>
      {text === undefined
        ? label
        : tx('{criterion}: {values}', {
            criterion: <span class="quiet-text">{label}</span>,
            values: <bdi>{text}</bdi>,
          })}
    </span>
    <button
      type="button"
      class="label-remove"
      aria-label={t('Remove the filter {name}', { name: label })}
      onClick={onRemove}
    >
      <Icon name="close" />
    </button>
  </span>
)

type Named = { readonly id: string; readonly name: string }

interface FilterCatalog {
  readonly name: FilterName
  readonly label: string
  /** The choice that sets no filter. */
  readonly all: string
  readonly rows: readonly Named[]
}

function useFilterCatalogs(): readonly FilterCatalog[] {
  const { session } = useServices()
  const projects = useListing('project', catalogQuery)
  const isAdministrator = session.person.value?.isAdministrator === true
  const organizations = useListing(
    'organization',
    isAdministrator ? catalogQuery : organizationQuery(projects.rows),
  )
  const types = useListing('assignmentType', catalogQuery)
  return [
    { name: 'projectId', label: t('Project'), all: t('All projects'), rows: projects.rows },
    {
      name: 'organizationId',
      label: t('Organization'),
      all: t('All organizations'),
      rows: organizations.rows,
    },
    { name: 'assignmentTypeId', label: t('Type'), all: t('All types'), rows: types.rows },
  ]
}

function CatalogFilter({ name, label, all, rows, value }: FilterCatalog & { readonly value: string }) {
  const { router } = useServices()
  return (
    <div class="field">
      <label for={`sums-${name}`}>{label}</label>
      <select
        id={`sums-${name}`}
        class="input"
        value={value}
        onChange={(event) => router.setQuery({ [name]: event.currentTarget.value })}
      >
        <option value="">{all}</option>
        {rows.map((row) => (
          <option key={row.id} value={row.id}>
            {row.name}
          </option>
        ))}
      </select>
    </div>
  )
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
