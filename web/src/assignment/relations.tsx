import type { RecordOf } from '../api/api.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { DependenciesSection } from './dependencies-section.tsx'
import { PartsSection } from './parts-section.tsx'
import type { Relation } from './related-row.tsx'
import type { PanelData } from './use-panel-data.ts'

interface RelationsProps extends Pick<PanelData, 'parts' | 'dependencies'> {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  readonly addedRelation: Relation | undefined
  onSaved(assignment: RecordOf<'assignment'>): void
}

/** Shows the assignments that this one belongs to, consists of, waits for and blocks. */
export const Relations = ({ parts, dependencies, onSaved, ...shared }: RelationsProps) => (
  <>
    <PartsSection {...shared} parts={parts} onSaved={onSaved} />
    <DependenciesSection {...shared} dependencies={dependencies} />
  </>
)

const relations: Readonly<Record<Relation, MessageKey>> = {
  partOf: 'Part of…',
  waitsFor: 'Waits for…',
  blocks: 'Needed by…',
}

/** A menu that adds another assignment. */
export const AddRelation = ({ onChoose }: { onChoose(relation: Relation): void }) => (
  <Menu
    label={t('Add a relation…')}
    class="button quiet"
    items={(Object.keys(relations) as Relation[]).map((relation) => ({
      label: t(relations[relation]),
      run: () => onChoose(relation),
    }))}
  >
    <Icon name="plus" />
    <span>{t('Add a relation…')}</span>
  </Menu>
)
