import { useState } from 'preact/hooks'
import {
  type AppOffer,
  type CreatedCodes,
  canCreatePasskey,
  createFactors,
  type Factors,
  type OwnFactors,
  type Passkey,
  StaleSignInError,
} from '../../api/identity.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { NameField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices, useSignIn } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/format-timestamp.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { describeUserAgent } from './describe-user-agent.ts'

/** The dialog in front of the page. */
type OpenDialog =
  | { readonly kind: 'app'; readonly offer: AppOffer }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'name'; readonly passkey: Passkey }
  | { readonly kind: 'stale' }
  | { readonly kind: 'confirm'; readonly confirmation: Confirmation }

interface Confirmation {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  work(): Promise<unknown>
}

/** Manages the user's authenticator app, passkeys and recovery codes. */
export function FactorsSection() {
  const { configuration, session, toasts } = useServices()
  const startSignIn = useSignIn()
  const factors = createFactors(configuration, session)
  const { value: ownFactors, problem, reload } = useLoaded('factors', [], () => factors.readOwn())
  const [dialog, setDialog] = useState<OpenDialog>()
  const showCodes = ({ recoveryCodes }: CreatedCodes) => {
    setDialog(recoveryCodes ? { kind: 'codes', codes: recoveryCodes } : undefined)
    reload()
  }
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work()
      reload()
    } catch (error) {
      if (error instanceof StaleSignInError) return setDialog({ kind: 'stale' })
      // The user has closed the browser's own dialog.
      if (error instanceof DOMException) return
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const close = () => setDialog(undefined)
  return (
    <section aria-labelledby="factors-title">
      <h2 id="factors-title">{t('Second factor')}</h2>
      <p class="form-note">
        {ownFactors?.isRequired
          ? t('Your account must have one, so that your password alone is not enough to sign in.')
          : t('With a second factor, your password alone is not enough to sign in.')}{' '}
        {t('Changes here sign you out on all other devices.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {ownFactors === undefined && !problem && <Skeleton as="rows" rows={1} cells="lines button" />}
      {ownFactors && <FactorRows ownFactors={ownFactors} factors={factors} setDialog={setDialog} />}
      {ownFactors && (
        <FactorButtons
          ownFactors={ownFactors}
          factors={factors}
          run={run}
          setDialog={setDialog}
          onCodes={showCodes}
        />
      )}
      {dialog?.kind === 'app' && (
        <AppDialog offer={dialog.offer} factors={factors} onDone={showCodes} onClose={close} />
      )}
      {dialog?.kind === 'codes' && <RecoveryCodesDialog codes={dialog.codes} onClose={close} />}
      {dialog?.kind === 'name' && (
        <PasskeyNameDialog passkey={dialog.passkey} factors={factors} onDone={reload} onClose={close} />
      )}
      {dialog?.kind === 'confirm' && (
        <ConfirmDialog
          {...dialog.confirmation}
          onConfirm={() => void run(dialog.confirmation.work)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'stale' && (
        <ConfirmDialog
          title={t('Sign in again first')}
          text={t('Confirm your identity before you change how you sign in. You will return to this page.')}
          confirmLabel={t('Sign in again')}
          onConfirm={() => startSignIn('/account', { forcePrompt: true })}
          onClose={close}
        />
      )}
    </section>
  )
}

interface FactorRowsProps {
  readonly ownFactors: OwnFactors
  readonly factors: Factors
  setDialog(dialog: OpenDialog): void
}

function FactorRows({
  ownFactors: { appSince, passkeys, recoveryCodesLeft },
  factors,
  setDialog,
}: FactorRowsProps) {
  const confirmRemoval = (name: string, work: () => Promise<unknown>) =>
    setDialog({
      kind: 'confirm',
      confirmation: {
        title: t('Remove {name}?', { name }),
        text: t('It can no longer be used to sign in.'),
        confirmLabel: t('Remove'),
        work,
      },
    })
  const appName = t('Authenticator app')
  return (
    <ul class="rows">
      {appSince !== null && (
        <li class="row">
          <span class="row-text">
            {appName}
            <span class="quiet-text line">{t('Since {time}', { time: formatTimestamp(appSince) })}</span>
          </span>
          <button type="button" class="button" onClick={() => confirmRemoval(appName, factors.removeApp)}>
            {t('Remove')}
            <span class="visually-hidden"> {appName}</span>
          </button>
        </li>
      )}
      {passkeys.map((passkey) => (
        <li key={passkey.id} class="row">
          <span class="row-text">
            <bdi>{passkey.name}</bdi>
            <span class="quiet-text line">
              {t('Passkey since {time}', { time: formatTimestamp(passkey.createdAt) })}
              {passkey.lastUsedAt !== null &&
                ` · ${t('last used {time}', { time: formatTimestamp(passkey.lastUsedAt) })}`}
            </span>
          </span>
          <button type="button" class="button" onClick={() => setDialog({ kind: 'name', passkey })}>
            {t('Rename')}
            <span class="visually-hidden"> {passkey.name}</span>
          </button>
          <button
            type="button"
            class="button"
            onClick={() => confirmRemoval(passkey.name, () => factors.removePasskey(passkey.id))}
          >
            {t('Remove')}
            <span class="visually-hidden"> {passkey.name}</span>
          </button>
        </li>
      ))}
      {(appSince !== null || passkeys.length > 0) && (
        <li class="row">
          <span class="row-text">
            {t('Recovery codes')}
            <span class="quiet-text line">
              {tn(recoveryCodesLeft, '{count} is left', '{count} are left')}
            </span>
          </span>
        </li>
      )}
    </ul>
  )
}

interface FactorButtonsProps extends FactorRowsProps {
  run(work: () => Promise<unknown>): Promise<void>
  onCodes(created: CreatedCodes): void
}

function FactorButtons({ ownFactors, factors, run, setDialog, onCodes }: FactorButtonsProps) {
  const hasAny = ownFactors.appSince !== null || ownFactors.passkeys.length > 0
  const showOffer = async () => setDialog({ kind: 'app', offer: await factors.offerApp() })
  const addPasskey = async () => onCodes(await factors.addPasskey(describeUserAgent(navigator.userAgent)))
  return (
    <div class="form-buttons">
      {canCreatePasskey(ownFactors.passkeyDomain) && (
        <button type="button" class="button" onClick={() => void run(addPasskey)}>
          {t('Add a passkey')}
        </button>
      )}
      <button type="button" class="button" onClick={() => void run(showOffer)}>
        {ownFactors.appSince === null ? t('Add an authenticator app') : t('Set up another app')}
      </button>
      {hasAny && (
        <button
          type="button"
          class="button"
          onClick={() =>
            setDialog({
              kind: 'confirm',
              confirmation: {
                title: t('Generate new recovery codes?'),
                text: t('The previous codes stop working.'),
                confirmLabel: t('Generate new codes'),
                work: async () => onCodes(await factors.createRecoveryCodes()),
              },
            })
          }
        >
          {t('New recovery codes')}
        </button>
      )}
    </div>
  )
}

interface AppDialogProps {
  readonly offer: AppOffer
  readonly factors: Factors
  onDone(created: CreatedCodes): void
  onClose(): void
}

/** Shows the secret for an app, and asks for a code that proves that the app has it. */
function AppDialog({ offer: { offer, secret, address, picture }, factors, onDone, onClose }: AppDialogProps) {
  const form = useForm({
    initial: { code: '' },
    submit: async ({ code }) => onDone(await factors.confirmApp(offer, code)),
  })
  return (
    <Dialog title={t('Set up an authenticator app')} onClose={onClose}>
      <p>{t('Scan this with an authenticator app, such as your password manager.')}</p>
      <svg
        class="qr"
        viewBox={`0 0 ${picture.side} ${picture.side}`}
        role="img"
        aria-label={t('The secret as a QR code')}
      >
        <rect width="100%" height="100%" fill="#fff" />
        <path d={picture.path} fill="#000" />
      </svg>
      <p class="quiet-text">
        {t('Or type this secret into the app:')} <code>{secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
      <div class="form-buttons">
        <CopyButton text={secret} />
        <a class="button" href={address}>
          {t('Open the app on this device')}
        </a>
      </div>
      <Form form={form} submitLabel={t('Set up')} onCancel={onClose}>
        <TextField
          form={form}
          name="code"
          label={t('Code from the app')}
          required
          autofocus
          autocomplete="one-time-code"
        />
      </Form>
    </Dialog>
  )
}

interface PasskeyNameDialogProps {
  readonly passkey: Passkey
  readonly factors: Factors
  onDone(): void
  onClose(): void
}

function PasskeyNameDialog({ passkey: { id, name }, factors, onDone, onClose }: PasskeyNameDialogProps) {
  const form = useForm({
    initial: { name },
    async submit(values) {
      await factors.renamePasskey(id, values.name)
      onDone()
      onClose()
    },
  })
  return (
    <Dialog title={t('Rename {name}', { name })} onClose={onClose}>
      <Form form={form} submitLabel={t('Save')} onCancel={onClose}>
        <NameField form={form} />
      </Form>
    </Dialog>
  )
}

/** Shows the recovery codes, with which the user can sign in without the app and the passkeys. */
const RecoveryCodesDialog = ({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }) => (
  <Dialog title={t('Your recovery codes')} onClose={onClose}>
    <p>
      {t(
        'Each one signs you in once, if you lose everything else. They are only shown now: print them, or save them with your passwords.',
      )}
    </p>
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div class="form-buttons">
      <CopyButton text={codes.join('\n')} />
      <button type="button" class="button primary" data-autofocus onClick={onClose}>
        {t('I have saved them')}
      </button>
    </div>
  </Dialog>
)
