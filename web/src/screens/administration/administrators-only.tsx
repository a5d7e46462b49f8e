import { t } from '../../texts/text.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/page-states.tsx'

/** The page that other users see instead of a screen for administrators. */
export const AdministratorsOnly = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <EmptyState icon="shield" title={t('Administrators only')}>
      <p>{t('Ask an administrator for what you need.')}</p>
    </EmptyState>
  </Page>
)
