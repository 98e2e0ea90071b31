import '@mantine/core/styles/Chip.layer.css';
import { Button, Chip, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import type { FormModel } from '../../resource/form/useForm.ts';
import { AddressCard } from '../settings/index.ts';
import { PROVIDER_PRESETS, presetValues } from './provider-presets.ts';
import { words } from './words.ts';

/** Fills in the form for a well-known provider, and shows the addresses to register there. */
export function OpenidSetup({ form }: { readonly form: FormModel }) {
  const [key, setKey] = useState<string>();
  const [entered, setEntered] = useState('');
  const preset = PROVIDER_PRESETS.find((one) => one.key === key);
  const canFill = preset && (!preset.ask || entered.trim() !== '');
  function fill() {
    if (!preset || !canFill) return;
    const values = presetValues(preset, entered, t(preset.name));
    for (const [name, value] of Object.entries(values)) form.set(name, value);
    toast.success(t(words.presetFilled));
  }
  return (
    <AddressCard
      title={t(words.setup)}
      addresses={[
        { label: t(words.redirectAddress), path: '/core/auth/openid/callback/' },
        { label: t(words.logoutAddress), path: '/core/auth/login/' },
        { label: t(words.backChannel), path: '/core/auth/openid/back-channel-logout/' },
      ]}
    >
      <Chip.Group
        value={key ?? null}
        onChange={(chosen) => {
          setKey(String(chosen));
          setEntered('');
        }}
      >
        <Group gap={8} role="radiogroup" aria-label={t(words.setup)}>
          {PROVIDER_PRESETS.map((one) => (
            <Chip key={one.key} value={one.key} size="sm">
              {t(one.name)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {preset && (
        <>
          <Text fz="sm" c="dimmed" mt="sm">
            {t(preset.hint)}
          </Text>
          <Group
            component="form"
            align="end"
            mt="sm"
            gap={8}
            onSubmit={(event) => {
              event.preventDefault();
              fill();
            }}
          >
            {preset.ask && (
              <TextInput
                label={t(preset.ask.label)}
                placeholder={preset.ask.example}
                value={entered}
                flex="1 1 260px"
                onChange={({ currentTarget }) => setEntered(currentTarget.value)}
              />
            )}
            <Button type="submit" variant="default" disabled={!canFill}>
              {t(words.presetFill)}
            </Button>
          </Group>
        </>
      )}
    </AddressCard>
  );
}
