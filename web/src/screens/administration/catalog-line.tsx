import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PersonAvatar } from '../../ui/person-avatar.tsx'
import { useRemoval } from '../../ui/use-removal.ts'
import type { Catalog, CatalogRow } from './catalogs.ts'

export interface CatalogLineProps {
  readonly catalog: Catalog
  readonly row: CatalogRow
  readonly isFirst: boolean
  readonly isLast: boolean
  onChange(): void
  /** Of people, who may do what. */
  onAccess(): void
  /** Where the order counts. */
  readonly onMove: ((steps: number) => void) | undefined
}

export function CatalogLine({
  catalog: { resource },
  row,
  isFirst,
  isLast,
  onChange,
  onAccess,
  onMove,
}: CatalogLineProps) {
  const { session } = useServices()
  const remove = useRemoval()
  const isSelf = row.id === session.person.value?.id
  return (
    <li class="row">
      {resource === 'user' && <PersonAvatar id={row.id} isNamed />}
      <span class="row-text">
        <bdi>{row.name}</bdi>
        {isSelf && <span class="quiet-text"> {t('(you)')}</span>}
        <span class="quiet-text line" dir="auto">
          {row.login ?? row.description}
        </span>
      </span>
      <span class="row-buttons">
        {onMove && (
          <>
            <RowButton
              icon="up"
              label={t('Move {name} up', { name: row.name })}
              isOff={isFirst}
              run={() => onMove(-1)}
            />
            <RowButton
              icon="down"
              label={t('Move {name} down', { name: row.name })}
              isOff={isLast}
              run={() => onMove(1)}
            />
          </>
        )}
        {resource === 'user' && (
          <RowButton icon="gear" label={t('Access of {name}', { name: row.name })} run={onAccess} />
        )}
        <RowButton icon="edit" label={t('Change {name}', { name: row.name })} run={onChange} />
        <RowButton
          icon="trash"
          label={t('Remove {name}', { name: row.name })}
          // People who remove themselves are locked out at once.
          isOff={isSelf}
          run={() => void remove(resource, row.id, row.name)}
        />
      </span>
    </li>
  )
}

interface RowButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly isOff?: boolean
  run(): void
}

/** A button that is disabled stays where it is, and can still be reached with the Tab key. */
const RowButton = ({ icon, label, isOff = false, run }: RowButtonProps) => (
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={label}
    title={label}
    aria-disabled={isOff}
    onClick={() => isOff || run()}
  >
    <Icon name={icon} />
  </button>
)
