import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { ProjectStage } from '../data/project-stages.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { Menu } from '../ui/menu.tsx'
import { DependenciesSection } from './dependencies-section.tsx'
import { PartsSection } from './parts-section.tsx'
import type { Relation } from './related-row.tsx'
import type { PanelData } from './use-panel-data.ts'

const relations: Readonly<Record<Relation, MessageKey>> = {
  partOf: 'Part of…',
  waitsFor: 'Wait for…',
  blocks: 'Block…',
}

interface RelationsProps extends Pick<PanelData, 'parts' | 'dependencies'> {
  readonly assignment: RecordOf<'assignment'>
  readonly stages: readonly ProjectStage[]
  onSaved(assignment: RecordOf<'assignment'>): void
}

/**
 * Shows the assignments that this one belongs to, consists of, waits for and blocks, and a menu that adds
 * others.
 */
export function Relations({ assignment, stages, parts, dependencies, onSaved }: RelationsProps) {
  const [addedRelation, setAddedRelation] = useState<Relation>()
  const shared = { assignment, stages, addedRelation }
  return (
    <>
      <PartsSection {...shared} parts={parts} onSaved={onSaved} />
      <DependenciesSection {...shared} dependencies={dependencies} />
      <div class="panel-section unfilled">
        <Menu
          label={t('Add a relation')}
          class="button quiet"
          items={(Object.keys(relations) as Relation[]).map((relation) => ({
            label: t(relations[relation]),
            run: () => setAddedRelation(relation),
          }))}
        >
          <Icon name="plus" />
          <span>{t('Add a relation')}</span>
        </Menu>
      </div>
    </>
  )
}
