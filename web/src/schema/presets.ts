// Schemas for common jobs, each with a text to try it on.
import type { TaskId } from '../tasks/tasks';
import type { Short } from './tree';

export type Topic = 'contract' | 'review' | 'news' | 'service' | 'medical' | 'address';

export interface Preset {
  topic: Topic;
  zh: string;
  en: string;
  task: TaskId;
  schema: Short;
  text: string;
}

const POLARITIES = ['正向情感(情感词)', '负向情感(情感词)', '中性情感(情感词)'];

export const PRESETS: readonly Preset[] = [
  {
    topic: 'contract',
    zh: '合同要素',
    en: 'Contract terms',
    task: 'ner',
    schema: ['甲方', '乙方', '签订日期', '签订地点', '合同金额', '质保期'],
    text: '甲方：云州远航科技有限公司，乙方：青石建筑集团有限公司。双方于2024年3月5日在杭州签订本合同，合同总金额为人民币120万元，质保期为24个月。',
  },
  {
    topic: 'contract',
    zh: '合同主体',
    en: 'Contract parties',
    task: 'relation',
    schema: { 企业: ['法定代表人(人物)', '注册地址(地理位置)'] },
    text: '云州远航科技有限公司注册地址为杭州，法定代表人为王建国。',
  },
  {
    topic: 'contract',
    zh: '条款类型',
    en: 'Kind of clause',
    task: 'classification',
    schema: ['付款条款', '违约责任', '保密条款', '争议解决', '知识产权', '合同期限'],
    text: '任何一方未按约定履行义务的，应向对方支付合同总额百分之十的违约金。',
  },
  {
    topic: 'review',
    zh: '方面与评价',
    en: 'Aspects and opinions',
    task: 'absa',
    schema: { 属性词: ['情感词'] },
    text: '酒店位置很方便，房间也干净。',
  },
  {
    topic: 'review',
    zh: '方面的好坏',
    en: 'Aspects, good or bad',
    task: 'sentiment',
    schema: { 属性词: POLARITIES },
    text: '服务态度很差。',
  },
  {
    topic: 'review',
    zh: '提到了哪些方面',
    en: 'Aspects mentioned',
    task: 'multi_label',
    schema: ['外观', '屏幕', '电池', '物流', '价格', '服务'],
    text: '外观很漂亮，屏幕清晰，就是电池不太耐用，物流也慢。',
  },
  {
    topic: 'news',
    zh: '人物、地点、机构、时间',
    en: 'People, places, organisations, times',
    task: 'ner',
    schema: ['人物', '地理位置', '组织机构', '时间'],
    text: '新华社北京3月5日电，北大西洋议会春季会议在西班牙巴塞罗那闭幕。',
  },
  {
    topic: 'news',
    zh: '新闻栏目',
    en: 'News sections',
    task: 'classification',
    schema: ['时政', '财经', '体育', '娱乐', '科技', '教育', '社会'],
    text: '沪指收盘上涨1.2%，两市成交额突破万亿元。',
  },
  {
    topic: 'news',
    zh: '人事变动',
    en: 'Appointments and departures',
    task: 'event',
    schema: {
      离职: ['时间', '离职者', '原所属组织'],
      任职: ['时间', '任职者', '任职组织', '职位'],
    },
    text: '6月3日，远航芯片有限公司宣布董事长周慧敏辞职。',
  },
  {
    topic: 'service',
    zh: '来信类型',
    en: 'Kind of message',
    task: 'classification',
    schema: ['投诉', '咨询', '表扬', '建议'],
    text: '快递三天还没到，客服电话也打不通，我要投诉！',
  },
  {
    topic: 'service',
    zh: '问题归类',
    en: 'Subject of the request',
    task: 'hierarchical',
    schema: {
      物流: ['未收到货', '配送太慢', '包装破损'],
      售后: ['退货', '换货', '退款', '维修'],
      账户: ['登录失败', '修改信息', '注销'],
    },
    text: '东西收到就是坏的，我想退款。',
  },
  {
    topic: 'service',
    zh: '订单信息',
    en: 'Order details',
    task: 'ner',
    schema: ['商品', '订单号', '时间', '金额'],
    text: '我3月2日买的耳机，付了299元，到现在还没有发货。',
  },
  {
    topic: 'medical',
    zh: '病历要素',
    en: 'Findings and treatment',
    task: 'ner',
    schema: ['疾病', '症状', '药物', '检查', '身体部位'],
    text: '患者因反复咳嗽、胸痛入院，胸部CT提示肺炎，给予阿莫西林治疗。',
  },
  {
    topic: 'medical',
    zh: '疾病与治疗',
    en: 'Diseases and their treatment',
    task: 'relation',
    schema: { 疾病: ['症状(症状)', '治疗药物(药物)', '检查方法(检查)'] },
    text: '慢性支气管炎常见症状为咳嗽、咳痰，可用氨溴索治疗。',
  },
  {
    topic: 'medical',
    zh: '就诊科室',
    en: 'Department',
    task: 'classification',
    schema: ['内科', '外科', '儿科', '妇产科', '皮肤科', '眼科'],
    text: '孩子三岁，发烧两天，一直咳嗽。',
  },
  {
    topic: 'address',
    zh: '收件信息',
    en: 'Delivery details',
    task: 'ner',
    schema: ['姓名', '电话', '省份', '城市', '区县', '街道', '门牌号'],
    text: '收件人李明住在浙江省杭州市西湖区文三路100号，电话13800001234。',
  },
  {
    topic: 'address',
    zh: '地址所在省份',
    en: 'Province',
    task: 'classification',
    schema: ['浙江', '江苏', '广东', '上海', '北京', '四川'],
    text: '杭州市西湖区文三路100号',
  },
];
