import { BerWriter } from 'ldapts';
import { expect, it } from 'vitest';
import { createPolicyControls } from './password-policy.ts';

it('asks for the password policy without the default of criticality', async () => {
  const { controls } = await createPolicyControls();
  const writer = new BerWriter();
  for (const control of controls) control.write(writer);
  const type = Buffer.from('1.3.6.1.4.1.42.2.27.8.5.1');
  // A sequence with the type alone; the other controls are never sent.
  const expected = [Buffer.from([0x30, type.length + 2, 0x04, type.length]), type];
  expect(writer.buffer).toEqual(Buffer.concat(expected));
});
