// Real texts with the schema that suits them; the first of each task fills a fresh page.
import { type Short, treeOf } from '../schema/tree';
import { emptyInput, type Inputs, type TaskInput } from './input';
import { TASKS, type TaskId } from './tasks';

export interface Example {
  zh: string;
  en: string;
  input: Partial<Omit<TaskInput, 'tree'>>;
  schema?: Short;
}

export const EXAMPLES: Record<TaskId, readonly Example[]> = {
  ner: [
    {
      zh: '国际新闻',
      en: 'World news',
      input: { text: '北大西洋议会春季会议26日在西班牙巴塞罗那闭幕，各国议员讨论了欧洲安全问题。' },
      schema: ['人物', '地理位置', '组织机构'],
    },
    {
      zh: '人物近况',
      en: 'A person',
      input: { text: '2019年3月，周慧敏离开武汉，加入远航芯片有限公司。' },
      schema: ['人物', '地理位置', '组织机构', '时间'],
    },
    {
      zh: '表情符号与罕用字',
      en: 'Emoji and rare characters',
      input: { text: '😀周慧敏👩‍💻在武汉工作，𠮷野家的李明在深圳🏙️工作。' },
      schema: ['人物', '地理位置', '组织机构'],
    },
  ],
  relation: [
    {
      zh: '公司与人物',
      en: 'Company and people',
      input: { text: '远航芯片有限公司总部位于深圳，董事长周慧敏1968年出生于湖南岳阳。' },
      schema: { 组织机构: ['董事长(人物)', '总部地点(地理位置)'], 人物: ['出生地(地理位置)'] },
    },
    {
      zh: '影视作品',
      en: 'Film and television',
      input: { text: '电视剧《红楼梦》由王扶林导演，欧阳奋强、陈晓旭主演。' },
      schema: { 影视作品: ['导演(人物)', '主演(人物)'] },
    },
  ],
  event: [
    {
      zh: '高管离职',
      en: 'An executive leaves',
      input: { text: '6月3日，远航芯片有限公司宣布董事长周慧敏辞职。' },
      schema: { 离职: ['时间', '离职者', '原所属组织'] },
    },
    {
      zh: '比赛胜负',
      en: 'Match result',
      input: { text: '7月28日，天津泰达在德比战中以0-1负于天津天海。' },
      schema: { 胜负: ['时间', '败者', '胜者', '赛事名称'] },
    },
    {
      zh: '地震快讯',
      en: 'Earthquake',
      input: { text: '昨日凌晨，四川宜宾发生6.0级地震，造成13人死亡、199人受伤。' },
      schema: { 地震: ['时间', '震级', '地点', '死亡人数', '受伤人数'] },
    },
  ],
  absa: [
    {
      zh: '酒店点评',
      en: 'Hotel review',
      input: { text: '酒店位置很方便。' },
      schema: { 属性词: ['情感词'] },
    },
    {
      zh: '耳机评价',
      en: 'Headphones',
      input: { text: '很满意，音质很好，发货速度快，值得购买' },
      schema: { 属性词: ['情感词'] },
    },
  ],
  sentiment: [
    {
      zh: '逐个方面',
      en: 'Aspect by aspect',
      input: { text: '服务态度很差。' },
      schema: { 属性词: ['正向情感(情感词)', '负向情感(情感词)', '中性情感(情感词)'] },
    },
    {
      zh: '整段评价',
      en: 'Whole text',
      input: { text: '服务态度很差，等了一个小时才上菜，再也不来了。', level: 'sentence' },
      schema: ['正向情感', '负向情感'],
    },
    {
      zh: '耳机评价',
      en: 'Headphones',
      input: { text: '很满意，音质很好，发货速度快，值得购买' },
      schema: { 属性词: ['正向情感(情感词)', '负向情感(情感词)', '中性情感(情感词)'] },
    },
  ],
  coref: [
    {
      zh: '他是谁',
      en: 'Who is he?',
      input: {
        text: '张教授发表了论文，他感到很高兴。',
        pronouns: ['他'],
        candidates: ['张教授', '论文'],
      },
    },
    {
      zh: '两个人物',
      en: 'Two people',
      input: {
        text: '小明把书还给了小红，因为她急着要用。',
        pronouns: ['她'],
        candidates: ['小明', '小红'],
      },
    },
    {
      zh: '自动查找',
      en: 'Find by itself',
      input: { text: '张教授发表了论文，他感到很高兴。' },
    },
  ],
  classification: [
    {
      zh: '新闻栏目',
      en: 'News section',
      input: { text: '学校召开2018届升学及出国深造毕业生座谈会就业指导' },
      schema: ['民生', '文化', '娱乐', '体育', '财经', '教育'],
    },
    {
      zh: '客服来信',
      en: 'Customer message',
      input: { text: '快递三天还没到，客服电话也打不通，我要投诉！' },
      schema: ['投诉', '咨询', '表扬', '建议'],
    },
    {
      zh: '财经快讯',
      en: 'Market news',
      input: { text: '沪指收盘上涨1.2%，两市成交额突破万亿元' },
      schema: ['体育', '财经', '科技', '娱乐'],
    },
  ],
  multi_label: [
    {
      zh: '手机评价',
      en: 'Phone review',
      input: { text: '外观很漂亮，屏幕清晰，就是电池不太耐用，物流也慢。' },
      schema: ['外观', '屏幕', '电池', '物流', '价格', '服务'],
    },
    {
      zh: '图书主题',
      en: 'Book topics',
      input: { text: '《格林童话》是德国民间故事集。' },
      schema: ['民间故事', '童话', '科幻', '历史'],
    },
  ],
  hierarchical: [
    {
      zh: '汽车售后',
      en: 'Car service',
      input: { text: '雨刷刮不干净怎么办' },
      schema: {
        APP系统功能: ['蓝牙钥匙故障', '界面显示异常'],
        '电器-附件': ['电子模块问题', '雨刮、洗涤器故障'],
      },
    },
    {
      zh: '银行客服',
      en: 'Bank help desk',
      input: { text: '信用卡的账单分期怎么提前还款？' },
      schema: {
        信用卡: ['账单分期', '额度', '年费', '挂失'],
        贷款: ['房贷', '消费贷', '提前还款'],
        存款: ['定期', '活期'],
      },
    },
  ],
  matching: [
    {
      zh: '同一个问题吗',
      en: 'Same question?',
      input: { text1: '手机屏幕碎了怎么办', text2: '手机屏幕摔碎了该怎么办', mode: 'similar' },
    },
    {
      zh: '能否推出',
      en: 'Does it follow?',
      input: { text1: '他们正在球场上踢足球', text2: '有人在运动', mode: 'nli' },
    },
    {
      zh: '意思不同',
      en: 'Different meaning',
      input: {
        text1: '高分子材料与工程排名',
        text2: '高分子材料与工程专业的完整定义',
        mode: 'similar',
      },
    },
  ],
  reading: [
    {
      zh: '校史',
      en: 'A university',
      input: {
        text: '云州大学创办于1923年，第一任校长是陈宗岳。',
        questions: ['谁是第一任校长？', '云州大学创办于哪一年？'],
      },
    },
    {
      zh: '选择题',
      en: 'Multiple choice',
      input: {
        text: 'A:坐飞机去吧，快一些。B:我一坐飞机就头晕，还是坐火车吧。',
        questions: ['B为什么不坐飞机?'],
        choices: ['飞机票太贵', '时间来不及', '坐飞机头晕', '飞机票太便宜'],
      },
    },
    {
      zh: '水利工程',
      en: 'A canal',
      input: {
        text: '青石渠位于云州市西北部的石门山区，全长68公里，1965年动工，历时五年建成。',
        questions: ['青石渠位于哪里？', '青石渠哪一年动工？'],
      },
    },
  ],
};

export function fillFrom(example: Example): TaskInput {
  return { ...emptyInput(), ...example.input, tree: treeOf(example.schema ?? null) };
}

export function firstInputs(): Inputs {
  return Object.fromEntries(
    TASKS.map((task) => [task, fillFrom(EXAMPLES[task][0] as Example)]),
  ) as Inputs;
}
