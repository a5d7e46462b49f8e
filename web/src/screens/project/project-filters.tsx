import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rowsMax } from '../../api/load-all.ts'
import { useMembers } from '../../data/use-members.ts'
import { type Services, useServices } from '../../services/services.ts'
import { t, tx } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { useLater } from '../../ui/lazy.tsx'
import { Menu } from '../../ui/menu.tsx'
import { SearchField } from '../../ui/page.tsx'
import { MoreFaces, PersonAvatar } from '../../ui/people.tsx'
import { useMedia } from '../../ui/viewport.ts'
import { type Criterion, type CriterionName, useCriteria } from './filter-criteria.tsx'
import { type Filters, isExcluding, toggleValue, valuesOf, viewParameter } from './filters.ts'
import type { ProjectScope } from './name-lookup.ts'

/** Below this width, the views and the filters share one row. */
export const narrowBar = '(max-width: 1199px)'

/** A row without room for the search, which is wider where fingers touch. */
const tightBar = '(max-width: 1023px), (max-width: 1199px) and (pointer: coarse)'

interface ProjectFiltersProps {
  readonly scope: ProjectScope
  readonly filters: Filters
  /** False for views that show a period. */
  readonly hasDays: boolean
  /** True if the view can show the manual order. */
  readonly hasOrder: boolean
  /** True if the view has groups and columns. */
  readonly hasColumns: boolean
  /** True if an open assignment takes room from the bar. */
  readonly isBesidePanel: boolean
  /** Further controls, such as the menu of the saved views. */
  readonly children?: ComponentChildren
  onMembers(): void
  onChange(changed: Partial<Filters>): void
  onClear(): void
}

interface OpenMenu {
  readonly anchor: HTMLElement
  readonly start?: CriterionName
}

/** Filters by text, and by criteria that a menu adds. Active criteria are shown as chips. */
export function ProjectFilters({
  hasOrder,
  hasColumns,
  isBesidePanel,
  children,
  onMembers,
  onClear,
  ...props
}: ProjectFiltersProps) {
  const { scope, filters, onChange } = props
  const { configuration } = useServices()
  const [menu, setMenu] = useState<OpenMenu>()
  const menuScript = useLater(menu !== undefined, () => import('./filter-menu.tsx'))
  const button = useRef<HTMLButtonElement>(null)
  const criteria = useCriteria({ ...props, offersMembers: menu !== undefined })
  const active = criteria.filter(({ isActive }) => isActive)
  /** Takes the focus from a chip that disappears. */
  const takeFocus = () => button.current?.focus()
  return (
    <search class="project-filters" aria-label={t('Filters')}>
      <Search
        value={filters.search}
        isBesidePanel={isBesidePanel}
        onChange={(search) => onChange({ search })}
      />
      <button
        ref={button}
        type="button"
        class={`button filter-button ${active.length > 0 ? 'active' : ''}`}
        aria-haspopup="dialog"
        aria-expanded={menu !== undefined}
        aria-keyshortcuts="Shift+F"
        onClick={({ currentTarget }) => setMenu(menu ? undefined : { anchor: currentTarget })}
      >
        {/* The number takes the place of the icon, so that the button keeps its width. */}
        {active.length > 0 ? <b class="filter-count">{active.length}</b> : <Icon name="filter" />}
        <span>{t('Filter')}</span>
      </button>
      {hasColumns && <DisplayButton />}
      {configuration.extensions && hasOrder && <OrderMenu projectId={scope.projectId} />}
      {children}
      <MemberFilter
        projectId={scope.projectId}
        chosen={filters.userId}
        onMembers={onMembers}
        onChange={(userId) => onChange({ userId })}
      />
      {active.length > 0 && (
        <Chips
          criteria={active}
          onOpen={(start, anchor) => setMenu({ start, anchor })}
          onRemove={(cleared) => {
            onChange(cleared)
            takeFocus()
          }}
          onClear={() => {
            onClear()
            takeFocus()
          }}
        />
      )}
      {menu && menuScript && (
        <menuScript.FilterMenu
          key={menu.start ?? ''}
          {...menu}
          button={button}
          criteria={criteria}
          filters={filters}
          onChange={onChange}
          onClose={() => setMenu(undefined)}
        />
      )}
    </search>
  )
}

interface SearchProps extends Pick<ProjectFiltersProps, 'isBesidePanel'> {
  readonly value: string
  onChange(text: string): void
}

/** Shows a search field. A narrow bar has room for it only while it is used, so a button opens it there. */
function Search({ value, isBesidePanel, onChange }: SearchProps) {
  const isTight = useMedia(isBesidePanel ? narrowBar : tightBar)
  const [isRequested, setRequested] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const label = t('Search assignments')
  const isOpen = isRequested || value !== ''
  useLayoutEffect(() => {
    if (isRequested) button.current?.parentElement?.querySelector('input')?.focus()
  }, [isRequested])
  const toggle = () => {
    setRequested(!isOpen)
    if (isOpen) onChange('')
  }
  return (
    <>
      {isTight && (
        <button
          ref={button}
          type="button"
          class={`button quiet icon-only ${value ? 'active' : ''}`}
          aria-label={label}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <Icon name="search" />
        </button>
      )}
      {(!isTight || isOpen) && <SearchField label={label} value={value} onChange={onChange} />}
    </>
  )
}

interface ChipsProps {
  readonly criteria: readonly Criterion[]
  onOpen(name: CriterionName, anchor: HTMLElement): void
  onRemove(cleared: Partial<Filters>): void
  onClear(): void
}

/** Shows the chosen criteria, each with its values. */
const Chips = ({ criteria, onOpen, onRemove, onClear }: ChipsProps) => (
  <div class="filter-chips">
    {criteria.map(({ name, label, isSwitch, isNegated, chosen, cleared }) => (
      <span key={name} class="filter-chip">
        <button
          type="button"
          class="filter-chip-name"
          aria-haspopup="dialog"
          onClick={({ currentTarget }) => onOpen(name, currentTarget)}
        >
          {isSwitch || chosen.length === 0
            ? label
            : tx(isNegated ? '{criterion}: not {values}' : '{criterion}: {values}', {
                criterion: <span class="quiet-text">{label}</span>,
                values: chosen.map((value, index) => (
                  <>
                    {index > 0 && ', '}
                    <bdi>{value}</bdi>
                  </>
                )),
              })}
        </button>
        <button
          type="button"
          class="label-remove"
          aria-label={t('Remove the filter {name}', { name: label })}
          onClick={() => onRemove(cleared)}
        >
          <Icon name="close" />
        </button>
      </span>
    ))}
    <button type="button" class="button quiet" onClick={onClear}>
      {t('Clear filters')}
    </button>
  </div>
)

const orderKeyOf = (projectId: string) => `tracker.order.${projectId}`

/** Orders the cards, and remembers the order for the project. An empty text is the order by end. */
export function chooseOrder(router: Services['router'], projectId: string, order: 'hand' | ''): void {
  localStorage.setItem(orderKeyOf(projectId), order)
  router.setQuery({ order })
}

/**
 * Adds the user's last order in the project to the address, unless that contains an order or a saved view.
 */
export function useChosenOrder(projectId: string): void {
  const { configuration, router } = useServices()
  const { searchParams } = router.address.value
  const isMissing = configuration.extensions && !searchParams.has('order') && !searchParams.has(viewParameter)
  // A layout effect runs before the browser draws, so that the default order is not visible first.
  useLayoutEffect(() => {
    const order = isMissing && localStorage.getItem(orderKeyOf(projectId))
    if (order) router.setQuery({ order })
  }, [projectId, isMissing])
}

/** Opens the choices of groups and columns. */
function DisplayButton() {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const menu = useLater(isOpen, () => import('./list/list-view.tsx'))
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button display-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={id}
        title={t('Display')}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="table" />
        <span>{t('Display')}</span>
      </button>
      {isOpen && menu && <menu.DisplayMenu id={id} button={button} onClose={() => setOpen(false)} />}
    </>
  )
}

function OrderMenu({ projectId }: { readonly projectId: string }) {
  const { router } = useServices()
  const isManuallyOrdered = router.address.value.searchParams.get('order') === 'hand'
  const choose = (order: 'hand' | '') => chooseOrder(router, projectId, order)
  return (
    <Menu
      label={t('Order of the assignments')}
      items={[
        { label: t('By end'), isCurrent: !isManuallyOrdered, run: () => choose('') },
        { label: t('By hand'), isCurrent: isManuallyOrdered, run: () => choose('hand') },
      ]}
    >
      <Icon name="sort" />
    </Menu>
  )
}

/** More faces do not fit next to the other filters. The filter menu has all members. */
const facesMax = { narrow: 5, wide: 7 }

interface MemberFilterProps {
  readonly projectId: string
  /** The chosen people, separated by commas. */
  readonly chosen: string
  onMembers(): void
  onChange(userId: string): void
}

/**
 * Shows a button that opens the members, and buttons that add a member to the filter or remove them from it.
 */
function MemberFilter({ projectId, chosen, onMembers, onChange }: MemberFilterProps) {
  const { people } = useServices()
  const { ids, totalCount } = useMembers(projectId)
  const included = isExcluding(chosen) ? '' : chosen
  const max = useMedia(narrowBar) ? facesMax.narrow : facesMax.wide
  // The number of the others takes the place of a face.
  const shown = ids.length > max ? ids.slice(0, max - 1) : ids
  const restCount = ids.length + Math.max(0, totalCount - rowsMax) - shown.length
  return (
    <fieldset class="faces" aria-label={t('Members')}>
      <button type="button" class="button quiet icon-only" aria-label={t('Members…')} onClick={onMembers}>
        <Icon name="people" />
      </button>
      {shown.map((id) => (
        <button
          key={id}
          type="button"
          class="face"
          aria-pressed={valuesOf(included).includes(id)}
          onClick={() => onChange(toggleValue(included, id))}
        >
          <PersonAvatar id={id} isDecorative />
          <span class="visually-hidden">{t('Filter by {name}', { name: people.nameOf(id) })}</span>
        </button>
      ))}
      {restCount > 0 && (
        <button
          type="button"
          class="face"
          aria-label={t('{count} more', { count: restCount })}
          onClick={onMembers}
        >
          <MoreFaces count={restCount} />
        </button>
      )}
    </fieldset>
  )
}
