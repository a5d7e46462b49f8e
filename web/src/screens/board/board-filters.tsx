import { useState } from 'preact/hooks'
import { Icon } from '../../ui/icon.tsx'
import { PersonPicker } from '../../ui/person-picker.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { type Filters, noFilters } from './filters.ts'

export interface BoardFiltersProps {
  readonly filters: Filters
  onChange(changed: Partial<Filters>): void
}

/** Text, person and days. On a phone all but the text wait behind a button. */
export function BoardFilters({ filters, onChange }: BoardFiltersProps) {
  const count = [filters.userId, filters.dateFrom, filters.dateTo].filter((value) => value !== '').length
  const [isOpen, setOpen] = useState(count > 0)
  const isAny = count > 0 || filters.search !== ''
  return (
    <search class={`filters ${isOpen ? 'open' : ''}`} aria-label="Filters">
      <SearchField
        label="Search assignments"
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{count > 0 ? ` (${count})` : ''}
      </button>
      <div class="filters-more">
        <div class="filter-person">
          <PersonPicker
            label="Person"
            placeholder="Anybody"
            value={filters.userId}
            onChoose={(userId) => onChange({ userId })}
          />
        </div>
        <DayFilter label="From" value={filters.dateFrom} onChange={(dateFrom) => onChange({ dateFrom })} />
        <DayFilter label="To" value={filters.dateTo} onChange={(dateTo) => onChange({ dateTo })} />
      </div>
      {isAny && (
        <button type="button" class="button quiet" onClick={() => onChange(noFilters)}>
          <Icon name="close" />
          <span>Clear filters</span>
        </button>
      )}
    </search>
  )
}

interface DayFilterProps {
  readonly label: string
  readonly value: string
  onChange(day: string): void
}

const DayFilter = ({ label, value, onChange }: DayFilterProps) => (
  <label class="filter-day">
    <span>{label}</span>
    <input
      class="input"
      type="date"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </label>
)
