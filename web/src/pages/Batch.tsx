export default function Batch() {
  return null;
}
