import { useState } from 'preact/hooks'
import { useMembers } from '../../data/use-members.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { PersonAvatar } from '../../ui/avatar.tsx'
import { DayInput } from '../../ui/day-input.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PersonPicker } from '../../ui/person-picker.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { FilterChips } from './filter-chips.tsx'
import { countRowFilters, type Filters, noFilters } from './filters.ts'

export interface ProjectFiltersProps {
  readonly projectId: string
  readonly filters: Filters
  /** False for views that have a period of their own. */
  readonly hasDayFilters: boolean
  /** Whether the view can show the manual order. */
  readonly hasOrder: boolean
  onMembers(): void
  onChange(changed: Partial<Filters>): void
}

/** Filters by text, person, days, labels, priority and what is blocked. On a phone, a button shows all filters but the text. */
export function ProjectFilters(props: ProjectFiltersProps) {
  const { projectId, filters, hasDayFilters, hasOrder, onChange } = props
  const { configuration } = useServices()
  const { search, userId, dateFrom, dateTo } = filters
  const count = countRowFilters(filters) + [userId, dateFrom, dateTo].filter((value) => value !== '').length
  const [isOpen, setOpen] = useState(count > 0)
  const isFiltered = count > 0 || search !== ''
  return (
    <search class={`filters ${isOpen ? 'open' : ''}`} aria-label={t('Filters')}>
      <SearchField
        label={t('Search assignments')}
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {count > 0 ? t('Filters ({count})', { count }) : t('Filters')}
      </button>
      <div class="filters-more">
        <div class="filter-person">
          <PersonPicker
            label={t('Person')}
            placeholder={t('Anyone')}
            value={filters.userId}
            projectId={projectId}
            onChoose={(userId) => onChange({ userId })}
          />
        </div>
        {hasDayFilters && (
          <span class="filter-days">
            <DayFilter
              label={t('From')}
              value={filters.dateFrom}
              onChange={(dateFrom) => onChange({ dateFrom })}
            />
            <DayFilter label={t('To')} value={filters.dateTo} onChange={(dateTo) => onChange({ dateTo })} />
          </span>
        )}
        {configuration.extensions && <FilterChips {...props} />}
        {configuration.extensions && hasOrder && <OrderSelect />}
        <MemberFilter {...props} selectedId={filters.userId} onChange={(userId) => onChange({ userId })} />
      </div>
      {isFiltered && (
        <button type="button" class="button quiet" onClick={() => onChange(noFilters)}>
          <Icon name="close" />
          <span>{t('Clear filters')}</span>
        </button>
      )}
    </search>
  )
}

function OrderSelect() {
  const { router } = useServices()
  return (
    <select
      class="input filter-person"
      aria-label={t('Order of the cards')}
      value={router.address.value.searchParams.get('order') === 'hand' ? 'hand' : ''}
      onChange={({ currentTarget }) => router.setQuery({ order: currentTarget.value })}
    >
      <option value="">{t('By due date')}</option>
      <option value="hand">{t('By hand')}</option>
    </select>
  )
}

/** More members do not fit next to the other filters; the picker finds them. */
const membersMax = 6

interface MemberFilterProps {
  readonly projectId: string
  readonly selectedId: string
  onMembers(): void
  onChange(userId: string): void
}

/** A click on a member filters by that person; another click removes the filter. The button that manages members comes first. */
function MemberFilter({ projectId, selectedId, onMembers, onChange }: MemberFilterProps) {
  const { people } = useServices()
  const { ids } = useMembers(projectId)
  return (
    <fieldset class="faces" aria-label={t('Members')}>
      <button type="button" class="button quiet icon-only" aria-label={t('Members…')} onClick={onMembers}>
        <Icon name="people" />
      </button>
      {ids.slice(0, membersMax).map((id) => (
        <button
          key={id}
          type="button"
          class="face"
          aria-pressed={id === selectedId}
          onClick={() => onChange(id === selectedId ? '' : id)}
        >
          <PersonAvatar id={id} isDecorative />
          <span class="visually-hidden">{t('Only {name}', { name: people.nameOf(id) })}</span>
        </button>
      ))}
    </fieldset>
  )
}

interface DayFilterProps {
  readonly label: string
  readonly value: string
  onChange(day: string): void
}

const DayFilter = ({ label, value, onChange }: DayFilterProps) => (
  <span class="filter-day">
    <span aria-hidden="true">{label}</span>
    <DayInput
      label={label}
      hasVisibleLabel={false}
      value={value}
      placeholder={t('any day')}
      onChange={onChange}
    />
  </span>
)
