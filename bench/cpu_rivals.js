// Times ONNX Runtime on the graphs that cpu_rivals.py exports: node cpu_rivals.js FOLDER THREADS,
// with onnxruntime-node below FOLDER/node_modules. One JSON line a figure.
const path = require('path');
const [folder, threads] = [path.resolve(process.argv[2]), Number(process.argv[3])];
const ort = require(require.resolve('onnxruntime-node', { paths: [folder] }));
const seconds = Number(process.env.RIVALS_SECONDS || 6);
// RIVALS_CPU_TIME=1: CPU time of the process, for one thread on a machine that others use too.
const clock = () => {
  if (!process.env.RIVALS_CPU_TIME) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const version = require(path.join(folder, 'node_modules/onnxruntime-node/package.json')).version;

const shapes = {
  '1x64': [64],
  '1x128': [128],
  '1x512': [512],
  '16x128': Array(16).fill(128),
  mixed: Array.from({ length: 16 }, (_, i) => 32 * (i + 1)),
};

function inputsOf(lengths) {
  const n = Math.max(...lengths);
  const b = lengths.length;
  const fill = (size, value) => BigInt64Array.from({ length: size }, (_, i) => BigInt(value(i)));
  return {
    ids: new ort.Tensor('int64', fill(b * n, (i) => (i * 7919) % 12804), [b, n]),
    positions: new ort.Tensor('int64', fill(b * n, (i) => i % n), [b, n]),
    mask: new ort.Tensor('int64', fill(b * n * n, (i) => {
      const length = lengths[Math.floor(i / (n * n))];
      return Math.floor(i / n) % n < length && i % n < length ? 1 : 0;
    }), [b, n, n]),
  };
}

async function main() {
  for (const precision of ['f32', 'int8']) {
    const session = await ort.InferenceSession.create(path.join(folder, `${precision}.onnx`), {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
    });
    for (const shape of (process.env.RIVALS_SHAPES || Object.keys(shapes).join(' ')).split(' ')) {
      const lengths = shapes[shape];
      const inputs = inputsOf(lengths);
      await session.run(inputs);
      const times = [];
      const start = performance.now();
      while (times.length < 3 || performance.now() - start < 1000 * seconds) {
        const begin = clock();
        await session.run(inputs);
        times.push(clock() - begin);
      }
      times.sort((a, b) => a - b);
      console.log(JSON.stringify({
        engine: `ONNX Runtime ${version} ${precision}`,
        shape,
        min_ms: Number(times[0].toFixed(2)),
        median_ms: Number(times[Math.floor(times.length / 2)].toFixed(2)),
      }));
    }
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
