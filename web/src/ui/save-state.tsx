import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

/** Says whether the values of a form are saved. The buttons next to it appear only for unsaved values. */
export const SaveState = ({ isSaved }: { readonly isSaved: boolean }) => (
  <span class={`save-state ${isSaved ? 'saved' : ''}`}>
    {isSaved && <Icon name="check" />}
    {isSaved ? t('Saved') : t('Not saved yet')}
  </span>
)
