import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import { operatorFor } from '../core/customers/customer.js';
import { deletePreset, listPresets, type Preset, savePreset } from '../core/delivery/preset.js';
import { addList, type OfCustomer, ofCustomer, pick } from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function presetCommand(): Command {
  const presets = new Command('preset').description(
    'manage the presets of a customer: sets of options that image URLs name',
  );

  ofCustomer(presets.command('set'), 'create a preset, or change what all its URLs show')
    .argument('<name>', 'for example card')
    .argument('<options>', 'for example w=300,h=200,fit=cover')
    .action(async (name: string, text: string, options: OfCustomer) => {
      const preset = await withPorts((ports) =>
        savePreset(ports, operatorFor(options.customer), { name, options: text }),
      );
      print(options, presetJson(preset), [`Preset ${preset.name}: ${preset.options}`]);
    });

  addList(presets, 'list the presets of a customer', listPresets, ['presets', presetJson], {
    NAME: ({ name }) => name,
    OPTIONS: ({ options }) => options,
  });

  ofCustomer(presets.command('delete'), 'delete a preset; URLs that name it are refused immediately')
    .argument('<name>', 'the name of the preset')
    .action(async (name: string, options: OfCustomer) => {
      await withPorts((ports) => deletePreset(ports, operatorFor(options.customer), name));
      print(options, { name, deleted: true }, [`Preset ${name} deleted.`]);
    });

  return presets;
}

function presetJson(preset: Preset) {
  return pick(preset, 'name', 'options', 'createdAt', 'updatedAt');
}
