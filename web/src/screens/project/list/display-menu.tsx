import { useLayoutEffect, useRef } from 'preact/hooks'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { placeBelow } from '../../../ui/place.ts'
import { shownList } from '../shown-list.ts'
import {
  availableColumns,
  availableGroupings,
  parseColumns,
  parseGrouping,
  toggleColumn,
} from './list-columns.ts'

interface DisplayMenuProps {
  readonly id: string
  /** The button below which the menu is placed. */
  readonly button: { readonly current: HTMLButtonElement | null }
  onClose(): void
}

/** Chooses the groups and columns of a list, and saves the shown list as a file. */
export function DisplayMenu({ id, button, onClose }: DisplayMenuProps) {
  const { configuration, router } = useServices()
  const layer = useRef<HTMLDivElement>(null)
  const query = router.address.value.searchParams
  const columns = parseColumns(query, configuration)
  useLayoutEffect(() => {
    if (layer.current === null || button.current === null) return
    layer.current.showPopover()
    placeBelow(layer.current, button.current)
    layer.current.querySelector('select')?.focus()
  }, [])
  return (
    <div
      ref={layer}
      id={id}
      class="popover display-menu"
      role="dialog"
      aria-label={t('Display')}
      popover="auto"
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      <div class="display-group">
        <span aria-hidden="true">{t('Group by')}</span>
        <select
          aria-label={t('Group by')}
          class="input"
          value={parseGrouping(query, configuration)?.name ?? ''}
          onChange={(event) => router.setQuery({ group: event.currentTarget.value })}
        >
          <option value="">{t('No grouping')}</option>
          {availableGroupings(configuration).map(({ name, label }) => (
            <option key={name} value={name}>
              {t(label)}
            </option>
          ))}
        </select>
      </div>
      <fieldset class="display-columns">
        <legend>{t('Columns')}</legend>
        {availableColumns(configuration)
          .filter(({ name }) => name !== 'name')
          .map((column) => (
            <button
              key={column.name}
              type="button"
              aria-pressed={columns.includes(column)}
              onClick={() => router.setQuery({ columns: toggleColumn(columns, column, configuration) })}
            >
              {t(column.label)}
            </button>
          ))}
      </fieldset>
      <button
        type="button"
        class="button wide"
        title={t('Saves the list as it is shown')}
        onClick={() => shownList.peek()?.save()}
      >
        <Icon name="download" />
        <span>{t('Export as CSV')}</span>
      </button>
    </div>
  )
}
